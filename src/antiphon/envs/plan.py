"""What a scripted agent does in a task: the reference chain with the words that the assertions ask for, played
well, or badly in one of six ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from antiphon.envs.contract import contract_of, replay, unaudited, unmet
from antiphon.envs.execute import execute
from antiphon.envs.prompt import END_CALL
from antiphon.errors import DomainError
from antiphon.partner.script import Act

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from antiphon.envs.changes import Json
    from antiphon.envs.contract import Contract, Replay
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import ReferenceCall, Task
    from antiphon.partner.script import Fact, Script

Flaw = Literal[
    "wrong_argument", "missing_write", "extra_write", "claims_success", "refuses_allowed", "hangs_up"
]
FLAWS: tuple[Flaw, ...] = get_args(Flaw)
_WRITES: frozenset[Flaw] = frozenset({"wrong_argument", "missing_write", "claims_success"})

_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "refuses": "I'm sorry, that cannot be done here.",
        "ends": "That is all I can say.",
        "done": "Done.",
    },
    "zh": {"refuses": "很抱歉，这里办不了。", "ends": "我能说的就这些。", "done": "好了。"},
}


@dataclass(frozen=True, slots=True)
class Say:
    """The agent's turn in words."""

    text: str


@dataclass(frozen=True, slots=True)
class Do:
    """A tool call."""

    tool: str
    arguments: Mapping[str, Any]


Move = Say | Do


def flaw_applies(domain: Domain, task: Task, flaw: Flaw) -> bool:
    """Whether a task can be played badly in this way; where it cannot, the reference is played as it is.

    Only what writes can write wrongly, only what is allowed can be refused, and a domain with one task may
    offer no write that its rules do not ask for.
    """
    if flaw == "hangs_up":
        return END_CALL not in domain.tools
    if flaw == "extra_write":
        return _extra_write(domain, task, contract_of(domain, task)) is not None
    if flaw == "refuses_allowed":
        return task.expected_outcome in ("write", "informational")
    return task.expected_outcome == "write" and bool(_writing(replay(domain, task), task))


def plan(domain: Domain, task: Task, flaw: Flaw | None = None) -> tuple[Move, ...]:
    """The moves of a scripted agent; the last one is said again for as long as the partner goes on.

    Raises DomainError for a task whose reference does not hold.
    """
    words = _WORDS[task.language]
    if flaw is None or not flaw_applies(domain, task, flaw):
        return (*_chain(task), Say(closing(task)))
    if flaw == "hangs_up":
        return (Do(END_CALL, {}),)
    if flaw == "refuses_allowed":
        return (Say(words["refuses"]),)
    if flaw == "extra_write":
        return (*_chain(task), *_extra(domain, task), Say(closing(task)))
    writes = _writing(replay(domain, task), task)
    if flaw == "claims_success":
        return (*_chain(task, skip=frozenset(writes)), Say(closing(task)))
    if flaw == "missing_write":
        return (*_chain(task, skip=frozenset(writes[-1:])), Say(words["ends"]))
    wrong = _wrong_argument(domain, task, writes)
    return (*_chain(task, instead=wrong), Say(closing(task)))


def _chain(
    task: Task, skip: frozenset[int] = frozenset(), instead: tuple[int, Json] | None = None
) -> Iterator[Move]:
    """Questions, then each reference call after the read-backs that it needs."""
    for assertion in task.checks:
        if assertion.predicate == "asked":
            yield Say(f"{assertion.arguments['forms'][0]}{'？' if task.language == 'zh' else '?'}")
    for at, step in enumerate(task.reference_tool_calls):
        if at in skip:
            continue
        if step.requestor == "user":
            yield Say(f"{_asking(task, step.tool)}.")
            continue
        for assertion in task.checks:
            if assertion.predicate == "confirmed_before" and assertion.arguments.get("tool") == step.tool:
                yield Say(", ".join(first(group) for group in assertion.arguments["forms"]) + "?")
        arguments = instead[1] if instead is not None and instead[0] == at else step.arguments
        yield Do(step.tool, arguments)


def _asking(task: Task, tool: str) -> str:
    """Words that make the partner use a tool of its own."""
    acts = script_tools(task).acts if task.script is not None else ()
    return next((act.asked[0] for act in acts if act.tool == tool and act.asked), _plain_name(tool))


def closing(task: Task) -> str:
    """The last words: all that the assertions want said, and a word that ends the script."""
    said = [f"{words}." for words in _forms(task, "says")]
    script = task.script
    never = [
        form for each in task.checks if each.predicate == "never_says" for form in each.arguments["forms"]
    ]
    if script is not None and script.done and not any(each in " ".join(said) for each in script.done):
        said += [f"{each}." for each in script.done if each not in never][:1]
    return " ".join(said) or _WORDS[task.language]["done"]


def _forms(task: Task, predicate: str) -> Iterator[str]:
    """The words of all assertions of a kind: the first form of each group, said in one go."""
    for each in task.checks:
        if each.predicate == predicate:
            yield ", ".join(first(group) for group in each.arguments["forms"])


def first(group: Any) -> str:
    """The first form of a group."""
    return group if isinstance(group, str) else str(group[0])


def _writing(played: Replay, task: Task) -> list[int]:
    """The places of the agent's reference calls that write."""
    pairs = enumerate(zip(task.reference_tool_calls, played.outcomes, strict=True))
    return [at for at, (step, done) in pairs if step.requestor == "assistant" and done.changes]


def _extra(domain: Domain, task: Task) -> Iterator[Move]:
    found = _extra_write(domain, task, contract_of(domain, task))
    if found is not None:
        yield Do(found.tool, found.arguments)


def _extra_write(domain: Domain, task: Task, contract: Contract) -> ReferenceCall | None:
    """A call from another task's reference that succeeds after this one's and writes what it must not."""
    final = replay(domain, task).final
    for other in domain.tasks:
        for step in other.reference_tool_calls:
            if step.requestor != "assistant" or step.expect_error:
                continue
            done = execute(domain.tools, final, step.tool, step.arguments, contract.audit)
            if done.error is None and unaudited(done.changes, contract.audit) - contract.permitted:
                return step
    return None


def _wrong_argument(domain: Domain, task: Task, writes: list[int]) -> tuple[int, Json]:
    """The last writing call with one argument replaced so that the expected state is missed."""
    at = writes[-1]
    step = task.reference_tool_calls[at]
    for name in step.arguments:
        for value in _others(domain, step, name):
            arguments = {**step.arguments, name: value}
            if _misses(domain, task, at, arguments):
                return at, arguments
    raise DomainError(f"{task.task_id}: whatever {step.tool} is given, the expected state is reached")


def _others(domain: Domain, step: ReferenceCall, name: str) -> Iterator[Any]:
    """Other values of an argument: choices of the schema, what other tasks give, and a word that is nothing."""
    properties: Json = domain.tools[step.tool].spec.parameters["properties"]
    mine = step.arguments[name]
    yield from (each for each in properties[name].get("enum", ()) if each != mine)
    for other in domain.tasks:
        for call in other.reference_tool_calls:
            if call.tool == step.tool and call.arguments.get(name, mine) != mine:
                yield call.arguments[name]
    if isinstance(mine, str):
        yield f"{mine}X"
    elif isinstance(mine, int | float) and not isinstance(mine, bool):
        yield mine + 1
    elif isinstance(mine, bool):
        yield not mine


def _misses(domain: Domain, task: Task, wrong_at: int, arguments: Json) -> bool:
    db = domain.initial(task)
    for at, step in enumerate(task.reference_tool_calls):
        given = arguments if at == wrong_at else step.arguments
        db = execute(domain.side(step.requestor), db, step.tool, given, domain.settings.audit).db
    return bool(unmet(task, db))


def facts_needed(task: Task) -> Iterator[Fact]:
    """The facts of the script that stand in the agent's reference calls and can be asked for."""
    if task.script is None:
        return
    values = {
        str(value)
        for step in task.reference_tool_calls
        if step.requestor == "assistant"
        for value in step.arguments.values()
    }
    for fact in task.script.facts:
        if fact.asked and str(fact.value) in values:
            yield fact


def script_tools(task: Task) -> Script:
    """A task's script in which the partner uses each tool of its own that the reference asks it to use, whenever
    the agent names what is to be done. Raises DomainError for a task without script."""
    script = task.script
    if script is None:
        raise DomainError(f"{task.task_id} has no script")
    known = {act.tool for act in script.acts}
    steps = [
        step for step in task.reference_tool_calls if step.requestor == "user" and step.tool not in known
    ]
    if not steps:
        return script
    done = "好了，我办好了。" if task.language == "zh" else "All right, I have done that."
    acts = [Act(step.tool, (_plain_name(step.tool),), done, step.arguments) for step in steps]
    return msgspec.structs.replace(script, acts=(*script.acts, *acts))


def _plain_name(tool: str) -> str:
    """`pay_bill` as an agent says it."""
    return tool.replace("_", " ")
