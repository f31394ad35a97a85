"""tau2's telecom desk, run by the classes of the user's own checkout of tau2 on one document of ours.

The document holds both of tau2's databases, the agent's and the customer's phone; after each call they are brought into
step as tau2 does it. tau2 itself asks for Python 3.12; these modules of it load on 3.11 too, without its `__init__`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.drafts import plain
from antiphon.envs.importers.foreign import ask, from_checkout, installed
from antiphon.envs.importers.source import Function, module_source, parameters_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from antiphon.envs.changes import Json

PACKAGES = ("tau2", "tau2.domains", "tau2.domains.telecom", "tau2.environment", "tau2.data_model")
REMEDY = (
    "install what tau2 itself needs: pip install deepdiff loguru python-dotenv toml addict docstring-parser"
)
SIDES = ("agent", "user")
IDS = "_ids"  # how many ids of a kind the agent's tools have given out; an audit table


@dataclass(frozen=True)
class Telecom:
    """The classes of tau2's telecom desk."""

    agent_tools: Any
    user_tools: Any
    agent_db: Any
    user_db: Any
    environment: Any

    def call(self, side: str, name: str, db: Json, **arguments: Any) -> Any:
        """Call a method of one side's tools on the document, as `f(db, …)`; raises CallError as tau2 raises.

        A parameter that was not given is not passed on.
        """
        kits = self._kits(plain(db))
        given = {key: value for key, value in arguments.items() if value is not None}

        def run() -> Any:
            result = getattr(kits[side], name)(**given)
            self._synchronise(kits)
            return result

        result = _json(ask(run))
        db |= self._document(kits)
        return result

    def initial(self, agent: Json, user: Json, actions: list[Json]) -> Json:
        """The document that a task starts from: both databases after the task's initialisation."""
        kits = self._kits({"agent": agent, "user": user})
        self._synchronise(kits)
        for each in actions:
            side = "agent" if each["env_type"] == "assistant" else "user"
            getattr(kits[side], each["func_name"])(**each["arguments"])
            self._synchronise(kits)
        return self._document(kits)

    def holds(self, db: Json, assertion: Json) -> bool:
        """Whether one of tau2's `env_assertions` is as it should be in a document."""
        kit = self._kits(db)["agent" if assertion["env_type"] == "assistant" else "user"]
        return (
            bool(getattr(kit, assertion["func_name"])(**assertion["arguments"])) is assertion["assert_value"]
        )

    def source(self, side: str, checkout: Path) -> str:
        """The tools.py or partner_tools.py of one side."""
        return module_source(
            f"The {side}'s tools of tau2's telecom desk, from a checkout of tau2; written by `antiphon envs import tau2`.",
            (
                "from antiphon.envs.importers.telecom import open_telecom as _open_telecom",
                "",
                f"_theirs = _open_telecom({str(checkout.resolve())!r})",
            ),
            self._functions(side),
        )

    def _functions(self, side: str) -> Iterator[Function]:
        kind, empty = (
            (self.agent_tools, self.agent_db) if side == "agent" else (self.user_tools, self.user_db)
        )
        for name, tool in kind(empty.model_construct()).get_tools().items():
            shown = cast("Json", tool.openai_schema["function"])
            parameters = parameters_of(_without_references(shown["parameters"]))
            passed = ", ".join(
                [repr(side), repr(name), "db", *(f"{each.name}={each.name}" for each in parameters)]
            )
            yield Function(name, str(shown["description"]), parameters, f"_theirs.call({passed})")

    def _kits(self, db: Json) -> dict[str, Any]:
        agent = self.agent_tools(self.agent_db.model_validate(db["agent"]))
        agent.id_generator.id_counter.update(db.get(IDS, {}))
        return {"agent": agent, "user": self.user_tools(self.user_db.model_validate(db["user"]))}

    def _synchronise(self, kits: dict[str, Any]) -> None:
        sides = SimpleNamespace(tools=kits["agent"], user_tools=kits["user"])
        self.environment.sync_tools(sides)

    def _document(self, kits: dict[str, Any]) -> Json:
        document = {side: kits[side].db.model_dump(mode="json") for side in SIDES}
        return document | {IDS: dict(kits["agent"].id_generator.id_counter)}


@cache
def open_telecom(checkout: Path | str) -> Telecom:
    """The classes in a checkout of tau2. Raises ConfigError where it is none, UnavailableError where it lacks a package."""

    installed("loguru", REMEDY).logger.disable("tau2")  # it tells each call on standard error

    def module(name: str) -> Any:
        return from_checkout(checkout, PACKAGES, f"tau2.domains.telecom.{name}", REMEDY)

    return Telecom(
        module("tools").TelecomTools,
        module("user_tools").TelecomUserTools,
        module("data_model").TelecomDB,
        module("user_data_model").TelecomUserDB,
        module("environment").TelecomEnvironment,
    )


def _json(value: Any) -> Any:
    """What a tool returns, records of tau2 as JSON."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): _json(below) for key, below in cast("Json", value).items()}
    if isinstance(value, list | tuple):
        return [_json(each) for each in cast("list[Any]", value)]
    return value


def _without_references(schema: Json) -> Json:
    """A schema whose `$ref`s are written out, one level deep: all that these tools use."""
    known = cast("Json", schema.get("$defs", {}))

    def resolved(part: Any) -> Any:
        if isinstance(part, dict):
            reference = cast("Json", part).get("$ref")
            if reference is not None:
                target = cast("Json", known[str(reference).rsplit("/", 1)[-1]])
                return {key: value for key, value in target.items() if key in ("type", "enum", "description")}
            return {key: resolved(value) for key, value in cast("Json", part).items()}
        return [resolved(each) for each in cast("list[Any]", part)] if isinstance(part, list) else part

    return cast("Json", resolved({key: value for key, value in schema.items() if key != "$defs"}))
