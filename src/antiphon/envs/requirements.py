"""`Standing`: what a partial episode has of its task: satisfied, irreversibly violated, pending, irrelevant.

The four are never mixed (section 4.4): an obligation that is open waits for its deadline, a prohibition is kept
only once it can no longer be broken, and nothing that was true from the start, or is merely said, earns anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from antiphon.envs.assertions import applies, is_positive, violation
from antiphon.envs.changes import apply, diff, look_up, pointer, same
from antiphon.envs.claims import premature_claims
from antiphon.envs.contract import unaudited
from antiphon.envs.story import Story
from antiphon.envs.terms import terms_of
from antiphon.envs.verdict import FAILING_STOPS
from antiphon.trace import INVALID_STOPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antiphon.envs.assertions import Judgement
    from antiphon.envs.changes import Json
    from antiphon.envs.contract import Contract
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Assertion, Task
    from antiphon.envs.terms import Terms
    from antiphon.envs.verdict import Scoring
    from antiphon.trace import Step, StopReason

Status = Literal["satisfied", "violated", "pending", "irrelevant"]
Kind = Literal["state", "write", "assertion", "claim", "limit"]
# Built-in predicates whose finding lasts: what a duty found, or an order or ban broke, no later step undoes.
_DUTIES = frozenset({"called", "says", "asked"})
_BANS = frozenset({"not_called", "never_says", "called_before", "confirmed_before"})


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement at one moment. `duty`: something must be done for it; else something must not be.

    `why` says how it is violated, or what a pending one waits for.
    """

    kind: Kind
    what: str
    status: Status
    duty: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """Every requirement of a task after some steps. `ended`: nothing comes any more."""

    requirements: tuple[Requirement, ...]
    ended: bool

    def of(self, status: Status) -> tuple[Requirement, ...]:
        """The requirements with a status."""
        return tuple(each for each in self.requirements if each.status == status)

    @property
    def value(self) -> float | None:
        """0.0 once anything is violated, None while anything is pending, 1.0 when all that matters is satisfied."""
        if self.of("violated"):
            return 0.0
        return None if self.of("pending") else 1.0

    @property
    def earned(self) -> float:
        """The share of duties that are satisfied, from 0 to 1; nothing once anything is violated."""
        duties = [each.status for each in self.requirements if each.duty and each.status != "irrelevant"]
        if self.of("violated") or not duties:
            return 0.0
        return duties.count("satisfied") / len(duties)


def standing(
    terms: Terms,
    steps: Sequence[Step],
    *,
    stop: StopReason | None = None,
    judgements: Sequence[Judgement] = (),
    scoring: Scoring = "strict",
) -> Standing:
    """Where an episode stands after some steps; `stop` when these are all.

    Assertions in words are pending until the episode has ended and a judge has answered. Raises ValueError for
    steps that do not fit the initial state, and DomainError for a predicate that fails.
    """
    contract = terms.contract
    db = contract.initial
    for step in steps:
        if step.changes:
            db = apply(db, step.changes)
    ended = stop is not None and stop not in INVALID_STOPS
    found = [*_state(contract, db, ended=ended)]
    outside = _outside(contract, steps, db, scoring, ended=ended)
    why = f"wrote {outside[0]}" if outside else ""
    found.append(Requirement("write", "nothing else is written", _ban(ended, outside), False, why))
    claims = premature_claims(steps, terms.deeds)
    why = f"step {claims[0].step + 1} says {claims[0].words!r}" if claims else ""
    found.append(Requirement("claim", "nothing is called done before it is", _ban(ended, claims), False, why))
    if stop in FAILING_STOPS:
        found.append(Requirement("limit", FAILING_STOPS[stop], "violated", False, FAILING_STOPS[stop]))
    story = Story(steps, contract.task, contract.initial, db)
    answers = {each.assertion: each for each in judgements}
    found += [_assertion(contract, each, story, answers, ended=ended) for each in contract.task.checks]
    return Standing(tuple(found), ended)


def unreachable(domain: Domain, task: Task, steps: Sequence[Step]) -> str | None:
    """Why an episode cannot pass any more: what is irreversibly violated; None while it can.

    Made for `RolloutSettings.unreachable`, which stops such an episode.
    """
    violated = standing(terms_of(domain, task), steps).of("violated")
    return f"{violated[0].what}: {violated[0].why}" if violated else None


def _ban(ended: bool, broken: Sequence[object]) -> Status:
    if broken:
        return "violated"
    return "satisfied" if ended else "pending"


def _state(contract: Contract, db: Json, *, ended: bool) -> Iterator[Requirement]:
    """Each value that the final state must hold. True from the start and still so, it asks for nothing."""
    task = contract.task
    wanted = [(path, True, value) for path, value in _expected((), task.expected_db)]
    wanted += [(path, False, None) for path in task.expected_absent]
    for path, present, value in wanted:
        what = f"{path} is {value!r}" if present else f"{path} is absent"
        if _holds(db, path, value, present=present):
            status = "irrelevant" if _holds(contract.initial, path, value, present=present) else "satisfied"
            yield Requirement("state", what, status, True)
        else:
            yield Requirement(
                "state", what, "violated" if ended else "pending", True, "not so yet, by the end"
            )


def _holds(db: Json, path: str, value: Any, *, present: bool) -> bool:
    there, found = look_up(db, path)
    if not present:
        return not there
    return there and (isinstance(found, dict) if value == {} else same(value, found))


def _expected(parts: tuple[str, ...], value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, below in cast("Json", value).items():
            yield from _expected((*parts, key), below)
    elif parts:
        yield pointer(parts), value


def _outside(
    contract: Contract, steps: Sequence[Step], db: Json, scoring: Scoring, *, ended: bool
) -> list[str]:
    """Leaf paths written without permission. Under strict a write is never undone; under paper the end decides."""
    written: set[str] = set()
    if scoring == "paper":
        written = unaudited(diff(contract.initial, db), contract.audit) if ended else set()
    else:
        for step in steps:
            if step.changes and step.role == "assistant":
                written |= unaudited(step.changes, contract.audit)
    return sorted(written - contract.permitted)


def _assertion(
    contract: Contract, assertion: Assertion, story: Story, answers: dict[str, Judgement], *, ended: bool
) -> Requirement:
    own = contract.predicates
    duty = assertion.predicate in _DUTIES or (
        assertion.predicate not in _BANS and is_positive(assertion, contract.task, own)
    )
    status, why = _status(contract, assertion, story, answers, ended=ended)
    return Requirement("assertion", assertion.text, status, duty, why)


def _status(
    contract: Contract, assertion: Assertion, story: Story, answers: dict[str, Judgement], *, ended: bool
) -> tuple[Status, str]:
    own = contract.predicates
    if assertion.when is not None:
        name = assertion.when.predicate
        if not applies(assertion, story, own):
            never = ended or name in _BANS
            return ("irrelevant", "") if never else ("pending", "its precondition may still come about")
        if not ended and name not in _DUTIES:
            return "pending", "its precondition may still fall away"
    if not assertion.predicate:
        return _judged(answers.get(assertion.text), ended=ended)
    broken = violation(assertion, story, own)
    if assertion.predicate in _DUTIES:
        if broken is None:
            return "satisfied", ""
        return ("violated" if ended else "pending"), broken.why
    if assertion.predicate in _BANS:
        if broken is not None:
            return "violated", broken.why
        return _kept(assertion, story, ended=ended)
    if not ended:
        return "pending", "only the whole episode tells"
    return ("satisfied", "") if broken is None else ("violated", broken.why)


def _kept(assertion: Assertion, story: Story, *, ended: bool) -> tuple[Status, str]:
    """A ban or an order that is not broken: past its deadline it is satisfied, and without occasion irrelevant."""
    arguments, name = assertion.arguments, assertion.predicate
    if name == "called_before" and any(story.calls(arguments["tool"], arguments.get("arguments"))):
        return "satisfied", ""
    if name == "never_says" and arguments.get("before") and any(story.calls(arguments["before"])):
        return "satisfied", ""
    if not ended:
        return "pending", "it can still be broken"
    ordered = {"called_before": "before", "confirmed_before": "tool"}.get(name)
    if ordered is not None and not any(story.calls(arguments[ordered])):
        return "irrelevant", ""
    return "satisfied", ""


def _judged(answer: Judgement | None, *, ended: bool) -> tuple[Status, str]:
    if not ended:
        return "pending", "a judge decides at the end"
    if answer is None or answer.kept is None:
        return "pending", "no judgement"
    return ("satisfied", "") if answer.kept else ("violated", answer.answer)
