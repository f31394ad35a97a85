"""Turn level: one proposal at one decision point, checked on the spot (section 4.4).

Tool choice, argument grounding and reply quality are parts from 0 to 1, and their mean is the value. A write that
is not permitted and a claim of completion before it is true are vetoes: nothing makes them good.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.envs.claims import premature_claims
from antiphon.envs.contract import unaudited
from antiphon.envs.execute import execute
from antiphon.envs.grounding import Known, ground
from antiphon.envs.milestones import reached, same_call
from antiphon.envs.predicates import asked, confirmed_before
from antiphon.envs.requirements import standing
from antiphon.envs.story import Story, transcript
from antiphon.judge.judge import Ask
from antiphon.judge.prompt import Prompt, read
from antiphon.text.mentions import fold
from antiphon.trace import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.envs.changes import Json
    from antiphon.envs.decisions import Proposal
    from antiphon.envs.episode import Snapshot
    from antiphon.envs.grounding import Grounding
    from antiphon.envs.milestones import Milestone
    from antiphon.envs.terms import Terms
    from antiphon.judge.judge import Verdict as Judged
    from antiphon.messages import ToolCall

_ASKS = re.compile(
    r"[?？]|\b(?:please|tell me|give me|i(?:'ll| will)? need|could you|can you|may i|confirm)\b"
    r"|吗|请|麻烦|告诉|提供|确认"
)
RIGHT, HARMLESS, WRONG = (
    1.0,
    0.5,
    0.0,
)  # a lookup that the reference does not need changes nothing, and costs time


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be done next: `call` it, or (None) speak. `ask`: words must ask for something; `may_speak`: words
    are as right as the call, since something must be asked that a later call needs."""

    call: Milestone | None
    why: str
    ask: bool = False
    may_speak: bool = False


@dataclass(frozen=True, slots=True)
class TurnScore:
    """One checked proposal. `value` is None when a part is missing (`reason` says which); `parts` are "choice",
    "grounding" (of proposals with arguments) and "reply" (of words, where a judge was asked)."""

    value: float | None
    parts: dict[str, float]
    vetoes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    reason: str | None = None


def due(terms: Terms, steps: Sequence[Step], db: Json) -> Due:
    """What the reference asks for next, once it can be done: an argument that nobody has told must be asked for,
    and a read-back that the rules demand comes before its call."""
    done = len(reached(terms.milestones, steps))
    if done == len(terms.milestones):
        return Due(None, "every expected call is made")
    following = terms.milestones[done]
    if following.who == "user":
        return Due(None, f"the partner is to use {following.tool}")
    known = _known(terms, steps)
    spec = terms.domain.tools[following.tool].spec
    missing = ground({"arguments": following.arguments}, spec, known).missing
    if missing:
        return Due(None, f"{missing[0][0]} of {following.tool} is not known yet", ask=True)
    if _unconfirmed(terms, steps, db, following):
        return Due(None, f"{following.tool} is not confirmed yet", ask=True)
    story = Story(steps, terms.task, terms.contract.initial, db)
    must_ask = any(each.predicate == "asked" and asked(story, **each.arguments) for each in terms.task.checks)
    later = (each for each in terms.milestones[done + 1 :] if each.who == "assistant")
    may = must_ask or any(known.to_be_told(value) for each in later for value in each.arguments.values())
    return Due(following, f"{following.tool} is to be called", ask=may, may_speak=may)


def score_turn(terms: Terms, moment: Snapshot, proposal: Proposal, reply: Judged | None = None) -> TurnScore:
    """Check a proposal at a saved moment. Its calls are executed on the moment's state, which stays as it is.

    `reply` is a judge's answer to `quality_ask`; without one the part is left out, and an answer without a verdict
    leaves the value out.
    """
    steps, db = list(moment.steps), moment.db
    expected = due(terms, steps, db)
    if proposal.text:
        steps.append(Step(moment.t_us, "assistant", proposal.text))
    vetoes: list[str] = []
    claims = [each for each in premature_claims(steps, terms.deeds) if each.step >= len(moment.steps)]
    vetoes += [f"claims {each.words!r} before it is true" for each in claims]
    choices: list[float] = []
    groundings: list[float] = []
    notes: list[str] = [expected.why]
    for call in proposal.calls:
        choice, grounding, step, after = _called(terms, steps, db, call, expected)
        outside = sorted(unaudited(step.changes, terms.contract.audit) - terms.contract.permitted)
        vetoes += [f"{call.name} writes {outside[0]}"] if outside else []
        notes += [f"{call.name}: {name} {value!r} comes from nowhere" for name, value in grounding.missing]
        steps, db = [*steps, step], after
        if choice is not None:
            choices.append(choice)
            groundings += [grounding.share] if grounding.share is not None else []
            expected = due(terms, steps, db)
    parts = {"choice": _mean(choices) if choices else _spoken(proposal, expected)}
    if groundings:
        parts["grounding"] = _mean(groundings)
    return _scored(parts, vetoes, tuple(notes), reply)


def _scored(
    parts: dict[str, float], vetoes: Sequence[str], notes: tuple[str, ...], reply: Judged | None
) -> TurnScore:
    reason = None
    if reply is not None and reply.value is not None:
        parts["reply"] = (float(reply.value) - 1) / 4
    elif reply is not None:
        reason = f"the reply has no judgement: {reply.problem or 'no answer'}"
    if vetoes:
        return TurnScore(0.0, parts, tuple(vetoes), notes)
    return TurnScore(None if reason else _mean(list(parts.values())), parts, (), notes, reason)


def _spoken(proposal: Proposal, expected: Due) -> float:
    """The choice to say something and call nothing."""
    if expected.call is not None and not expected.may_speak:
        return WRONG
    return RIGHT if proposal.text and (not expected.ask or _ASKS.search(fold(proposal.text))) else WRONG


def score_hang_up(terms: Terms, moment: Snapshot) -> TurnScore:
    """Check the decision to end the call: right once no expected call and no duty that can be checked is open."""
    open_call = due(terms, moment.steps, moment.db).call
    checked = {each.text for each in terms.task.checks if each.predicate}
    pending = (each for each in standing(terms, moment.steps).of("pending") if each.duty)
    waits = [each.what for each in pending if each.kind == "state" or each.what in checked]
    if open_call is not None:
        waits.append(f"{open_call.tool} is to be called")
    return _scored({"choice": WRONG if waits else RIGHT}, (), tuple(waits), None)


def _called(
    terms: Terms, steps: Sequence[Step], db: Json, call: ToolCall, expected: Due
) -> tuple[float | None, Grounding, Step, Json]:
    """How right a call is, how grounded, its step, and the state after it. A failed call is worth nothing, except
    that one which the reference itself makes neither earns nor costs."""
    tool = terms.domain.tools.get(call.name)
    done = execute(terms.domain.tools, db, call.name, call.arguments, terms.contract.audit)
    made = {"id": call.id, "name": call.name, "arguments": done.arguments}
    found = ground(made, tool.spec if tool is not None else None, _known(terms, steps))
    result = {"value": done.value} if done.error is None else {"value": done.value, "error": done.error}
    t_us = steps[-1].t_us if steps else 0
    step = Step(t_us, "assistant", None, None, made, result, done.changes)
    if done.error is not None:
        planned = any(
            each.expect_error and each.tool == call.name and dict(each.arguments) == done.arguments
            for each in terms.task.reference_tool_calls
        )
        return (None if planned else WRONG), replace(found, share=0.0), step, done.db
    deed = call.name in terms.deeds or bool(unaudited(done.changes, terms.contract.audit))
    if expected.call is not None and expected.call.tool == call.name:
        right = not deed or same_call(expected.call, done.arguments)
        return (RIGHT if right else WRONG), found, step, done.db
    return (WRONG if deed or _repeated(made, steps, terms.contract.audit) else HARMLESS), found, step, done.db


def _repeated(call: Json, steps: Sequence[Step], audit: tuple[str, ...]) -> bool:
    """Whether the same call has succeeded before, and nothing has changed since."""
    written = (at for at, step in enumerate(steps) if step.changes and unaudited(step.changes, audit))
    since = steps[max(written, default=-1) + 1 :]
    return any(
        step.role == "assistant" and step.call is not None and "error" not in (step.result or {"error": ""})
        and (step.call["name"], step.call["arguments"]) == (call["name"], call["arguments"])
        for step in since
    )  # fmt: skip


def _unconfirmed(terms: Terms, steps: Sequence[Step], db: Json, following: Milestone) -> bool:
    """Whether a call made now would break an assertion that it be confirmed first."""
    call = {"id": "", "name": following.tool, "arguments": following.arguments}
    now = Step(0, "assistant", call=call, result={"value": None})
    story = Story([*steps, now], terms.task, terms.contract.initial, db)
    earlier = Story(steps, terms.task, terms.contract.initial, db)
    for each in terms.task.checks:
        if each.predicate == "confirmed_before" and each.arguments.get("tool") == following.tool:
            arguments = each.arguments
            if confirmed_before(story, **arguments) and not confirmed_before(earlier, **arguments):
                return True
    return False


def _known(terms: Terms, steps: Sequence[Step]) -> Known:
    today = str(terms.contract.initial.get("current_date", ""))
    return Known(terms.task, terms.domain.rules, today, steps)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@cache
def prompt() -> Prompt:
    """The question to a judge about one utterance."""
    return read(Path(__file__).parent / "prompts" / "reply_quality.txt")


def quality_ask(terms: Terms, moment: Snapshot, text: str) -> Ask:
    """What a judge is asked about the words of a proposal."""
    story = Story(moment.steps, terms.task, terms.contract.initial, moment.db)
    fields = {"criteria": terms.domain.rules, "history": transcript(story), "response": text}
    return Ask(prompt(), fields)
