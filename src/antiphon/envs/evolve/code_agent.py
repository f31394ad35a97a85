"""The code agent: any chat model that writes domains and tasks. Its code only ever runs in the sandbox.

A reply is parsed strictly and checked; what is wrong goes back to it, at most so many rounds. What does not hold then
is rejected with its reasons.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import msgspec

from antiphon.envs.check import check_domain, check_task
from antiphon.envs.defects import of_file
from antiphon.envs.domain import GENERATED, read_domain
from antiphon.envs.evolve.coverage import coverage
from antiphon.envs.evolve.proposal import Proposal, as_json
from antiphon.envs.evolve.reply import ReplyError, read_files
from antiphon.envs.evolve.seeds import folder_of_seed, told
from antiphon.envs.overlap import Evaluation, pool_overlap, rules_overlap, task_overlap
from antiphon.envs.sandbox.process import Sandbox
from antiphon.envs.task import read_tasks
from antiphon.errors import ConfigError, DataError
from antiphon.ids import hash_json, seed_for
from antiphon.jsonl import dumps
from antiphon.messages import Message, says
from antiphon.models.ports import Request, Sampling, collect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antiphon.envs.domain import Domain
    from antiphon.envs.hard_cases import HardCase
    from antiphon.envs.importers.mcp import McpServer
    from antiphon.models.ports import Chat

_PROMPTS = Path(__file__).parents[1] / "prompts"
_FIELD = re.compile(r"\{([a-z_]+)\}")
_MOST_DEFECTS = 20  # lines that go back: the first ones cause the others
_MOST_DB = 20_000  # characters of a database that the agent is shown
OUTCOMES = ("write", "refusal", "unsupported", "informational")


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard the code agent tries: `rounds` of repair after the first reply, `tasks` a domain has at least."""

    rounds: int = 3
    tasks: int = 8
    max_tokens: int = 16_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.rounds < 0 or self.tasks < len(OUTCOMES):
            raise ConfigError(f"rounds are at least 0, tasks at least {len(OUTCOMES)}: one for each outcome")


@dataclass(frozen=True, slots=True)
class Created:
    """What a code agent made of a seed. `defects` are those of its last reply; none, and the domain is accepted."""

    KIND: ClassVar[str] = "created_domain"
    V: ClassVar[int] = 1
    name: str
    seed: str
    by: str
    accepted: bool
    rounds: int
    tools: int = 0
    tasks: int = 0
    defects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """The tasks that a code agent proposed in one go: those that hold, and why the others were rejected."""

    KIND: ClassVar[str] = "task_batch"
    V: ClassVar[int] = 1
    number: int
    by: str
    rounds: int
    proposals: tuple[Proposal, ...] = ()
    rejected: tuple[str, ...] = ()


def prompts_version() -> str:
    """Changes whenever a word of the prompts does."""
    return hash_json([(_PROMPTS / f"{name}.txt").read_text("utf-8") for name in ("new_domain", "new_tasks", "repair")])[:12]  # fmt: skip


def filled(name: str, fields: Mapping[str, str]) -> str:
    """A prompt with its fields; braces that are none of them stay."""
    text = (_PROMPTS / f"{name}.txt").read_text("utf-8").strip()
    return _FIELD.sub(lambda found: fields.get(found[1], found[0]), text)


async def _converse(
    chat: Chat, opening: Sequence[Message], effort: Effort, check: Callable[[str], list[str]], what: str
) -> tuple[int, list[str]]:
    """Ask, check, and send back what is wrong: how many rounds of repair it took, and the defects that are left."""
    messages = list(opening)
    defects: list[str] = []
    for number in range(effort.rounds + 1):
        draw = Sampling(seed_for(effort.seed, number), 0.0, effort.max_tokens)
        reply = await collect(chat, Request(tuple(messages), want=frozenset({"text"}), sampling=draw))
        try:
            defects = check(reply.text)
        except ReplyError as error:
            defects = [str(error)]
        except RecursionError:  # JSON or TOML that nobody would write
            defects = ["a file is nested too deeply"]
        if not defects:
            return number, []
        listed = "\n".join(f"- {each}" for each in defects[:_MOST_DEFECTS])
        again = filled("repair", {"defects": listed, "what": what})
        messages += [says("assistant", reply.text), says("user", again)]
    return effort.rounds, defects


async def create_domain(
    chat: Chat,
    seed: McpServer,
    effort: Effort,
    kept: Evaluation,
    *,
    allow_weak: bool = False,
) -> tuple[Created, dict[str, str]]:
    """A domain from a seed, and its files where it is accepted. Raises ModelError, and ConfigError where no sandbox
    can be had."""
    files: dict[str, str] = {}
    sizes = (0, 0)

    def check(text: str) -> list[str]:
        nonlocal sizes
        files.clear()
        files.update(read_files(text))
        domain, defects = _checked(folder_of_seed(seed), files, allow_weak=allow_weak)
        if domain is not None:
            sizes = (len(domain.tools), len(domain.tasks))
            defects += _fit(domain, effort, kept)
        return defects

    ask = [says("system", filled("new_domain", {"tasks": str(effort.tasks)})), says("user", told(seed))]
    rounds, defects = await _converse(chat, ask, effort, check, "all files")
    made = Created(folder_of_seed(seed), seed.name, chat.name, not defects, rounds, *sizes, tuple(defects))
    marked = {**files, GENERATED: dumps({"by": chat.name, "seed": seed.name}) + "\n"}
    return made, {} if defects else marked


def _checked(name: str, files: Mapping[str, str], *, allow_weak: bool) -> tuple[Domain | None, list[str]]:
    """The construction checks on some files, with the tools in a sandbox; the domain is for looking at only."""
    with tempfile.TemporaryDirectory() as place, Sandbox(allow_weak=allow_weak) as sandbox:
        folder = Path(place) / name
        for each, content in files.items():
            (folder / each).parent.mkdir(parents=True, exist_ok=True)
            (folder / each).write_text(content, "utf-8")
        domain, problems = read_domain(folder, sandbox.read)
        defects = [of_file(each, folder).line for each in problems]
        if domain is not None:
            defects += [each.line for each in check_domain(domain)]
        return domain, defects


def _fit(domain: Domain, effort: Effort, kept: Evaluation) -> list[str]:
    """What a whole domain must be besides free of defects: enough tasks of every kind, and its own."""
    found: list[str] = []
    if len(domain.tasks) < effort.tasks:
        found.append(f"tasks/: {len(domain.tasks)} tasks; at least {effort.tasks}")
    lacking = set(OUTCOMES) - {task.expected_outcome for task in domain.tasks}
    if lacking:
        found.append(f"tasks/: no task with the outcome {', '.join(sorted(lacking))}")
    near = [pool_overlap(domain.tools, kept), rules_overlap(domain.rules, kept)]
    near += [task_overlap(task, kept) for task in domain.tasks]
    return found + [each for each in near if each is not None]


async def propose_tasks(
    chat: Chat,
    domain: Domain,
    cases: Sequence[HardCase],
    count: int,
    effort: Effort,
    *,
    number: int = 0,
) -> Batch:
    """New tasks for a domain as it is. A task that holds stays, whatever becomes of the others. Raises ModelError."""
    good: dict[str, Proposal] = {}

    def check(text: str) -> list[str]:
        defects: list[str] = []
        for task_id, proposal, problems in _read_proposals(text, domain, chat.name):
            if problems and task_id not in good:
                defects += problems
            elif proposal is not None:
                good[task_id] = proposal
        return defects

    lacking = coverage(domain, domain.tasks).shortfalls()
    fields = {
        "rules": domain.rules,
        "tools": "\n".join(dumps(msgspec.to_builtins(tool.spec)) for tool in domain.tools.values()),
        "dbs": "\n".join(f"{name}: {dumps(db)[:_MOST_DB]}" for name, db in domain.dbs.items()),
        "example": dumps(as_json(domain.tasks[0])),
        "cases": "\n".join(f"- {each.pattern} ({each.failures}): {each.example}" for each in cases) or "- none yet",
        "lacking": ", ".join(f"{cell}: {much}" for cell, much in lacking.items()) or "nothing",
        "count": str(count),
    }  # fmt: skip
    ask = [says("user", filled("new_tasks", fields))]
    rounds, defects = await _converse(chat, ask, effort, check, "the tasks that are wrong")
    return Batch(number, chat.name, rounds, tuple(good.values()), tuple(defects))


def _read_proposals(text: str, domain: Domain, by: str) -> list[tuple[str, Proposal | None, list[str]]]:
    """(task, proposal, defects) for each task in a reply. Raises ReplyError."""
    files = read_files(text)
    if set(files) != {"tasks/new.json"}:
        raise ReplyError(f"one file is asked for, tasks/new.json, and there is {', '.join(files)}")
    taken = {task.task_id for task in domain.tasks}
    found: list[tuple[str, Proposal | None, list[str]]] = []
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "new.json"
        path.write_text(files["tasks/new.json"], "utf-8")
        for each in read_tasks(path):
            if isinstance(each, DataError):
                found.append(("", None, [str(each).replace(str(path), "tasks/new.json")]))
                continue
            defects = [f"{each.task_id} {field}: {problem}" for field, problem in check_task(domain, each)]
            if each.task_id in taken:
                defects.append(f"{each.task_id}: the domain has a task of that name")
            proposal = None if defects else Proposal(as_json(each), "", "proposed", by)
            found.append((each.task_id, proposal, defects))
    return found
