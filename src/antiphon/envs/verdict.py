"""`Verdict`: the judgement of one episode: terminal state, then writes, then behaviour; from its trace alone.

A verdict needs a complete trace and every required judgement; without, it is *invalid*, with the reason, never
a failure. A fluent reply cannot make good a failed check, and the right state excuses no broken rule (section 4.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from antiphon.envs.assertions import Judgement, Violation, applies, ask, judgement, violation
from antiphon.envs.changes import apply, diff
from antiphon.envs.contract import unaudited, unmet
from antiphon.envs.story import Story
from antiphon.errors import DomainError
from antiphon.judge.judge import verdicts
from antiphon.trace import INVALID_STOPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antiphon.envs.changes import Json
    from antiphon.envs.contract import Contract
    from antiphon.envs.task import Assertion
    from antiphon.judge.judge import Judge
    from antiphon.trace import Step, Trace

# paper: writes are what differs at the end (appendix A); strict: what was ever written, even if put back.
Scoring = Literal["strict", "paper"]
FAILING_STOPS = {
    "turn_limit": "the turn limit was reached",
    "tool_limit": "the tool-call limit was reached",
    "unreachable": "a required state became unreachable",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judged episode. `passed` is None exactly when `status` is invalid; `reason` says why it did not pass.

    `state` lists where the terminal state misses the expected one, `writes` the leaf paths written without
    permission, `skipped` the assertions whose precondition did not come about, `unasked` those in words that a
    failed check made needless.
    """

    KIND: ClassVar[str] = "verdict"
    V: ClassVar[int] = 1
    domain: str
    task: str
    trial: int
    seed: int
    system: str
    partner: str
    outcome: str
    stop: str
    status: Literal["valid", "invalid"]
    passed: bool | None
    scoring: Scoring
    reason: str | None = None
    state: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    skipped: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    tags: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict[str, str])
    meta: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Checked:
    """A trace after every check that needs no judge. `to_ask` are the assertions that need one."""

    contract: Contract
    trace: Trace
    scoring: Scoring
    story: Story | None
    invalid: str | None = None
    state: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    skipped: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    to_ask: tuple[Assertion, ...] = ()


def check(contract: Contract, trace: Trace, scoring: Scoring = "strict") -> Checked:
    """Everything about an episode that needs no judge, in the order of section 4.2."""
    problem = _malformed(contract, trace, scoring)
    try:
        final = _final(contract.initial, trace.steps)
    except ValueError as error:
        return Checked(contract, trace, scoring, None, f"its changes do not fit the initial state: {error}")
    story = Story(trace.steps, contract.task, contract.initial, final)
    if problem is not None:
        return Checked(contract, trace, scoring, story, problem)
    state = tuple(unmet(contract.task, final)) + _unwanted(contract, final)
    writes = unpermitted(contract, trace, final, scoring)
    strayed = unpermitted(contract, trace, final, "strict", "user")
    # After a stray write of the agent the partner's may land elsewhere: that failure is the agent's.
    if strayed and not unpermitted(contract, trace, final, "strict"):
        return Checked(
            contract,
            trace,
            scoring,
            story,
            f"the partner wrote {strayed[0]}, which its script does not ask for",
        )
    violations: list[Violation] = []
    skipped: list[str] = []
    in_words: list[Assertion] = []
    try:
        for assertion in contract.task.checks:
            if not applies(assertion, story, contract.predicates):
                skipped.append(assertion.text)
            elif not assertion.predicate:
                in_words.append(assertion)
            elif (broken := violation(assertion, story, contract.predicates)) is not None:
                violations.append(broken)
    except DomainError as error:
        return Checked(contract, trace, scoring, story, str(error))
    failed = bool(state or writes or violations or trace.stop in FAILING_STOPS)
    return Checked(
        contract, trace, scoring, story, None, state, writes, tuple(violations), tuple(skipped),
        unasked=tuple(each.text for each in in_words) if failed else (),
        to_ask=() if failed else tuple(in_words),
    )  # fmt: skip


def decide(checked: Checked, judgements: Mapping[str, Judgement] | None = None) -> Verdict:
    """The verdict, once every assertion in `to_ask` has its judgement, by its text."""
    given = judgements or {}
    asked = [given[each.text] for each in checked.to_ask if each.text in given]
    lacking = [
        each.text for each in checked.to_ask if each.text not in given or given[each.text].kept is None
    ]
    invalid = checked.invalid or (_lacking(lacking[0], given) if lacking else None)
    broken = [Violation(each.assertion, each.answer) for each in asked if each.kept is False]
    violations = (*checked.violations, *broken)
    reason = invalid or _reason(checked, violations)
    trace, task = checked.trace, checked.contract.task
    return Verdict(
        domain=checked.contract.domain, task=task.task_id, trial=trace.trial, seed=trace.seed,
        system=trace.system, partner=trace.partner, outcome=task.expected_outcome, stop=trace.stop,
        status="valid" if invalid is None else "invalid", passed=None if invalid is not None else reason is None,
        scoring=checked.scoring, reason=reason, state=checked.state, writes=checked.writes,
        violations=violations, skipped=checked.skipped, unasked=checked.unasked, judgements=tuple(asked),
        tags=task.tags, versions={**trace.versions, "scored_task": task.version},
    )  # fmt: skip


async def verdict(
    contract: Contract, trace: Trace, judge: Judge | None = None, scoring: Scoring = "strict"
) -> Verdict:
    """Check an episode, ask the judge what only a judge can tell, and decide.

    Without a judge, or without its answer, an episode that needs one is invalid. ModelError and refusals of
    the judge are kept as the reason.
    """
    checked = check(contract, trace, scoring)
    if judge is None or not checked.to_ask or checked.story is None:
        return decide(checked)
    answers = await verdicts(judge, [ask(each, checked.story) for each in checked.to_ask])
    pairs = zip(checked.to_ask, answers, strict=True)
    return decide(checked, {each.text: judgement(each, answer) for each, answer in pairs})


def unpermitted(
    contract: Contract, trace: Trace, final: Json, scoring: Scoring, who: str = "assistant"
) -> tuple[str, ...]:
    """Leaf paths that one side wrote outside the permitted set, audit tables aside, sorted.

    strict: of every step. paper: of the difference between first and last state, whoever made it.
    """
    if scoring == "paper":
        written = unaudited(diff(contract.initial, final), contract.audit)
    else:
        written: set[str] = set()
        for step in trace.steps:
            if step.changes and step.role == who:
                written |= unaudited(step.changes, contract.audit)
    return tuple(sorted(written - contract.permitted))


def _final(initial: Json, steps: tuple[Step, ...]) -> Json:
    db = initial
    for step in steps:
        if step.changes:
            db = apply(db, step.changes)
    return db


def _unwanted(contract: Contract, final: Json) -> tuple[str, ...]:
    """Where no change is expected, what has changed at the end."""
    if contract.task.changes_state or contract.permitted:
        return ()
    changed = unaudited(diff(contract.initial, final), contract.audit)
    return tuple(f"{path} changed, and nothing should" for path in sorted(changed))


def _malformed(contract: Contract, trace: Trace, scoring: Scoring) -> str | None:
    """Why a trace can have no verdict."""
    if contract.task.expected_outcome == "unlabelled" and scoring == "strict":
        return "the task is unlabelled: it says nothing that must happen, and scores under paper only"
    if trace.stop in INVALID_STOPS:
        return f"{trace.stop.replace('_', ' ')}" + (f": {trace.why}" if trace.why else "")
    if trace.task != contract.task.task_id:
        return f"it is of task {trace.task}, not of {contract.task.task_id}"
    if trace.versions.get("domain", contract.version) != contract.version:
        return f"it ran on version {trace.versions['domain']} of the domain, and this is {contract.version}"
    before_us = 0
    for number, step in enumerate(trace.steps, start=1):
        if step.t_us < before_us:
            return f"step {number} goes back in time"
        before_us = step.t_us
        if step.call is not None and (step.result is None or "value" not in step.result):
            return f"step {number} calls {step.call.get('name')} and has no result"
        if step.defect is not None:
            return f"step {number}: the tool is broken: {step.defect}"
    return None


def _lacking(text: str, given: Mapping[str, Judgement]) -> str:
    found = given.get(text)
    why = f"{found.problem or 'no answer'}" if found is not None else "no judge was given"
    return f"no judgement of {text[:60]!r}: {why}"


def _reason(checked: Checked, violations: tuple[Violation, ...]) -> str | None:
    """The first thing that failed, in the order of the checks."""
    if checked.trace.stop in FAILING_STOPS:
        return FAILING_STOPS[checked.trace.stop]
    if checked.state:
        return f"terminal state: {checked.state[0]}"
    if checked.writes:
        return f"unauthorised write: {checked.writes[0]}"
    if violations:
        return f"{violations[0].assertion}: {violations[0].why}"
    return None
