"""`Domain`: rules, tools, databases and tasks, read from a folder."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isfunction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec

from antiphon.envs.changes import parts_of
from antiphon.envs.sandbox.process import Sandbox
from antiphon.envs.task import Task, read_json, read_tasks
from antiphon.envs.tools import read_tools
from antiphon.errors import DataError, DomainError, unknown
from antiphon.ids import hash_bytes, hash_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from antiphon.envs.changes import Json
    from antiphon.envs.tools import Tool

OWN = Path(__file__).parent / "domains"
GENERATED = "generated.json"  # in a folder whose code a model wrote: it runs in the sandbox only


class Behaviour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a tool behaves under speech: the flags of `ToolSpec`."""

    cancel_on_interrupt: bool = False
    blocks_answer: bool = True
    slow: bool = False


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`domain.toml`, optional. `audit` are paths that no check counts as a write, `internal` paths whose values
    a partner must not know ("*": any key), `tools` how tools behave under speech. `partial_references`: reference
    chains leave out look-ups, as those of imported corpora do."""

    audit: tuple[str, ...] = ()
    internal: tuple[str, ...] = ()
    tools: dict[str, Behaviour] = {}
    partial_references: bool = False


class ReadTools(Protocol):
    """How a file of tools becomes tools. Raises DomainError for what is wrong with it."""

    def __call__(self, path: Path, behaviour: Mapping[str, Any]) -> dict[str, Tool]: ...


@dataclass(frozen=True, eq=False, repr=False)
class Domain:
    """An executable domain. Its documents are shared by all episodes and never written to.

    `version` is the hash of everything but the tasks. `predicates` are the domain's own checks, by name.
    """

    name: str
    rules: str
    tools: Mapping[str, Tool]
    dbs: Mapping[str, Json]
    tasks: tuple[Task, ...]
    partner_tools: Mapping[str, Tool] = field(default_factory=dict[str, "Tool"])
    predicates: Mapping[str, Callable[..., str | None]] = field(
        default_factory=dict[str, "Callable[..., str | None]"]
    )
    settings: Settings = field(default_factory=Settings)
    schema: Json | None = None
    version: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where each task came from: task_id → file, relative to the domain's folder."""

    def task(self, task_id: str) -> Task:
        """The task of that id. Raises ConfigError listing the ids there are."""
        for task in self.tasks:
            if task.task_id == task_id:
                return task
        raise unknown(f"task of {self.name}", task_id, (task.task_id for task in self.tasks))

    def initial(self, task: Task) -> Json:
        """The document that a task starts from. Raises DomainError for a database that is not there."""
        if isinstance(task.db, dict):
            return task.db
        found = self.dbs.get(task.db.removeprefix("@dbs/"))
        if found is None or not task.db.startswith("@dbs/"):
            there = ", ".join(f"@dbs/{name}" for name in sorted(self.dbs)) or "none"
            raise DomainError(f"{self.name} {task.task_id}: no database {task.db!r}; there are: {there}")
        return found

    def side(self, who: str) -> Mapping[str, Tool]:
        """The tools of the agent ("assistant") or of the partner ("user")."""
        return self.tools if who == "assistant" else self.partner_tools


def own_domains() -> list[str]:
    """The names of the domains that come with Antiphon."""
    return sorted(path.parent.name for path in OWN.glob("*/rules.md"))


def folder_of(name: str) -> Path:
    """The folder of one of our own domains, or of yours. Raises ConfigError when there is none."""
    for folder in (OWN / name, Path(name)):
        if (folder / "rules.md").is_file() or (folder / "tools.py").is_file():
            return folder
    raise unknown("domain", name, own_domains(), "or give the folder of your own, with rules.md and tools.py")


def open_domain(name: str) -> Domain:
    """A domain by name or folder. Raises DomainError for the first thing that is wrong with its files."""
    domain, problems = read_domain(folder_of(name))
    if domain is None or problems:
        more = f" ({len(problems) - 1} more: antiphon envs check {name})" if len(problems) > 1 else ""
        raise DomainError(f"{problems[0]}{more}")
    return domain


def read_domain(folder: Path, read: ReadTools | None = None) -> tuple[Domain | None, list[DataError]]:
    """A domain and everything that is wrong with its files; None where rules, tools or databases fail.

    Its Python files are run in this process, unless `read` makes its tools elsewhere: a domain that you would
    not import. Predicates of its own are then refused, because they would run here. A folder that says that a
    model wrote it (`generated.json`) is read in a sandbox of its own.
    """
    problems: list[DataError] = []
    if read is None and (folder / GENERATED).is_file():
        read = Sandbox().read

    def attempt(read: Callable[[], Any], default: Any) -> Any:
        try:
            return read()
        except DataError as error:
            problems.append(error)
            return default

    settings = attempt(lambda: _settings(folder / "domain.toml"), Settings())
    rules = attempt(lambda: _rules(folder / "rules.md"), None)
    dbs = attempt(lambda: _dbs(folder), None)
    schema = attempt(lambda: _optional_json(folder / "schema.json"), None)
    tools = attempt(lambda: _tools(folder / "tools.py", _flags(settings), read), None)
    partner_tools = attempt(lambda: _tools(folder / "partner_tools.py", {}, read), None)
    predicates = attempt(lambda: _predicates(folder / "predicates.py", read), {})
    tasks, files = _tasks(folder, problems)
    if rules is None or dbs is None or tools is None or partner_tools is None:
        return None, problems
    if not tools:
        problems.append(DataError(folder / "tools.py", "has no tool; one is a public function f(db, …)"))
        return None, problems
    return Domain(
        name=folder.name, rules=rules, tools=MappingProxyType(tools), dbs=MappingProxyType(dbs), tasks=tasks,
        partner_tools=MappingProxyType(partner_tools), predicates=predicates, settings=settings, schema=schema,
        version=_version(folder), files=files,
    ), problems  # fmt: skip


def _settings(path: Path) -> Settings:
    if not path.exists():
        return Settings()
    try:
        found = msgspec.convert(tomllib.loads(path.read_text("utf-8")), Settings)
        for each in (*found.audit, *found.internal):
            parts_of(each)
    except (ValueError, msgspec.ValidationError) as error:
        raise DataError(path, str(error)) from None
    return found


def _flags(settings: Settings) -> dict[str, dict[str, bool]]:
    return {name: msgspec.structs.asdict(each) for name, each in settings.tools.items()}


def _rules(path: Path) -> str:
    try:
        text = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path, f"cannot be read ({error})") from None
    if not text:
        raise DataError(path, "is empty; it goes into the agent's prompt")
    return text


def _dbs(folder: Path) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for path in sorted((folder / "dbs").glob("*.json")):
        content = read_json(path)
        if not isinstance(content, dict):
            raise DataError(path, f"a database is an object, not {type(content).__name__}")
        if not isinstance(cast("Json", content).get("current_date"), str):
            raise DataError(path, "must say what today is, as YYYY-MM-DD", field="current_date")
        found[path.name] = cast("Json", content)
    return found


def _optional_json(path: Path) -> Json | None:
    return cast("Json", read_json(path)) if path.exists() else None


def _tools(path: Path, behaviour: Mapping[str, Any], read: ReadTools | None) -> dict[str, Tool]:
    if not path.is_file():
        if path.name == "tools.py":
            raise DataError(path, "is missing; it holds the tools, functions f(db, …)")
        return {}
    try:
        return (read or _read_here)(path, behaviour)
    except DomainError as error:
        raise DataError(path, str(error)) from None


def _read_here(path: Path, behaviour: Mapping[str, Any]) -> dict[str, Tool]:
    return read_tools(_module(path), behaviour)


def _predicates(path: Path, read: ReadTools | None) -> dict[str, Callable[..., str | None]]:
    if not path.is_file():
        return {}
    if read is not None:
        raise DataError(
            path, "would run in this process; a domain whose tools run elsewhere has none of its own"
        )
    module = _module(path)
    return {
        name: value
        for name, value in vars(module).items()
        if isfunction(value) and not name.startswith("_") and value.__module__ == module.__name__
    }


def _module(path: Path) -> ModuleType:
    """A domain's Python file as a module under a name of its content, so that versions do not mix."""
    name = f"antiphon_domain_{path.parent.name}_{path.stem}_{hash_bytes(path.read_bytes())[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and annotations look their module up here
    try:
        spec.loader.exec_module(module)
    except (
        Exception,
        SystemExit,
    ) as error:  # a domain's code may fail in any way; the user sees which file and why
        del sys.modules[name]
        line = getattr(error, "lineno", None)
        raise DataError(path, f"does not import ({type(error).__name__}: {error})", line=line) from error
    return module


def _tasks(folder: Path, problems: list[DataError]) -> tuple[tuple[Task, ...], dict[str, str]]:
    tasks: list[Task] = []
    files: dict[str, str] = {}
    for path in sorted((folder / "tasks").glob("*.json")):
        for found in read_tasks(path):
            if isinstance(found, DataError):
                problems.append(found)
            elif found.task_id in files:
                twice = f"{found.task_id} task_id"
                problems.append(DataError(path, f"stands in {files[found.task_id]} too", field=twice))
            else:
                tasks.append(found)
                files[found.task_id] = path.relative_to(folder).as_posix()
    return tuple(tasks), files


def _version(folder: Path) -> str:
    """The hash of every file that an episode depends on, tasks aside: they have their own."""
    names = ("rules.md", "tools.py", "partner_tools.py", "predicates.py", "domain.toml", "schema.json")
    paths = [folder / name for name in names] + sorted((folder / "dbs").glob("*.json"))
    there = [path for path in paths if path.is_file()]
    return hash_json(
        [[path.relative_to(folder).as_posix(), hash_bytes(path.read_bytes())] for path in there]
    )[:16]
