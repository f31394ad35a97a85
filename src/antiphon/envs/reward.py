"""`Reward`: one number for a trainer, at one of three levels, with what it is made of (section 4.4).

dialogue    the outcome of a whole episode; compared among episodes of the same task
milestone   the outcome of a continuation; compared among continuations of the same saved moment
turn        one proposal at one decision point; compared among proposals at the same point

Rewards are compared within their `group` only; a trainer normalises there. All of it is computed from traces.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from antiphon.envs.claims import premature_claims
from antiphon.envs.decisions import Decision, Proposal, decisions
from antiphon.envs.episode import Snapshot, snapshot_of
from antiphon.envs.milestones import reached
from antiphon.envs.requirements import standing
from antiphon.envs.turns import quality_ask, score_hang_up, score_turn
from antiphon.ids import hash_json
from antiphon.judge.judge import verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from antiphon.envs.terms import Terms
    from antiphon.envs.turns import TurnScore
    from antiphon.envs.verdict import Verdict
    from antiphon.judge.judge import Asked
    from antiphon.judge.judge import Verdict as Judged
    from antiphon.trace import Step, Trace

Level = Literal["dialogue", "milestone", "turn"]
LEVELS: tuple[Level, ...] = ("dialogue", "milestone", "turn")


@dataclass(frozen=True, slots=True)
class Reward:
    """One reward. `value` is None when there is none, and then `reason` says why: missing evidence is no zero.

    It credits what the agent did from step `begin` up to, and without, `end` of its trace (counted from 0).
    `parts` are what the value is made of, `evidence` is what it was read from.
    """

    KIND: ClassVar[str] = "reward"
    V: ClassVar[int] = 1
    level: Level
    group: str
    domain: str
    task: str
    trial: int
    seed: int
    system: str
    begin: int
    end: int
    value: float | None
    reason: str | None = None
    parts: dict[str, float] = field(default_factory=dict[str, float])
    evidence: dict[str, Any] = field(default_factory=dict[str, Any])
    versions: dict[str, str] = field(default_factory=dict[str, str])


def outcome_reward(terms: Terms, trace: Trace, verdict: Verdict) -> Reward:
    """The return of an episode: 1 when it passed, 0 when not or when something was called done before it was.

    Of a continuation it is a milestone reward, and credits only what came after the saved moment.
    """
    moment: Mapping[str, Any] | None = trace.meta.get("moment")
    begin = int(moment["step"]) if moment is not None else 0
    group = terms.group if moment is None else f"{terms.group}#{moment['id']}"
    value: float | None = None
    reason = verdict.reason
    if terms.task.expected_outcome == "unlabelled":
        reason = "the task is unlabelled: it says nothing that must happen, and trains nothing"
    elif verdict.status == "valid":
        claims = premature_claims(trace.steps, terms.deeds)
        value = 1.0 if verdict.passed and not claims else 0.0
        if claims and verdict.passed:
            reason = f"step {claims[0].step + 1} says {claims[0].words!r} before it is true"
    elif reason is None:
        reason = "invalid"
    evidence: dict[str, Any] = {"stop": trace.stop, "passed": verdict.passed}
    evidence["milestones"] = {
        "reached": list(reached(terms.milestones, trace.steps)),
        "of": len(terms.milestones),
    }
    if moment is not None:
        evidence["moment"] = dict(moment)
    return Reward(
        "dialogue" if moment is None else "milestone", group, trace.domain, trace.task, trace.trial, trace.seed,
        trace.system, begin, len(trace.steps), value, reason, evidence=evidence, versions=trace.versions,
    )  # fmt: skip


def partial_reward(
    terms: Terms, trace: Trace, begin: int, end: int, verdict: Verdict | None = None
) -> Reward:
    """The return of an episode that was cut off at step `end`: None while an obligation still has time.

    `verdict` brings its judgements when the trace ends there.
    """
    whole = end == len(trace.steps)
    judgements = verdict.judgements if verdict is not None else ()
    found = standing(terms, trace.steps[:end], stop=trace.stop if whole else None, judgements=judgements)
    waiting = found.of("pending")
    reason = f"waits for: {waiting[0].what}" if found.value is None else None
    evidence: dict[str, Any] = {
        status: [each.what for each in found.of(status)]
        for status in ("satisfied", "violated", "pending", "irrelevant")
    }
    group = f"{terms.group}#{prefix_id(trace.steps[:begin])}"
    return Reward(
        "milestone", group, trace.domain, trace.task, trace.trial, trace.seed, trace.system, begin, end,
        found.value, reason, {"earned": found.earned}, evidence, trace.versions,
    )  # fmt: skip


def turn_reward(terms: Terms, trace: Trace, decision: Decision, reply: Judged | None = None) -> Reward:
    """The reward of one reply in a kept trace. Raises ValueError for steps that do not fit the initial state."""
    moment = _before(terms, trace, decision)
    return reward_of_turn(terms, trace, decision, score_turn(terms, moment, decision.proposal, reply))


def hang_up_reward(terms: Terms, trace: Trace) -> Reward:
    """The reward of ending the call, which leaves no step of its own."""
    at = len(trace.steps)
    moment = snapshot_of(terms.domain, terms.task, trace.steps)
    return reward_of_turn(terms, trace, Decision(at, at, Proposal()), score_hang_up(terms, moment))


def reward_of_turn(terms: Terms, trace: Trace, decision: Decision, score: TurnScore) -> Reward:
    """A checked proposal as a reward of the trace that holds it."""
    reason = score.reason or ("; ".join(score.vetoes) or None)
    return Reward(
        "turn", f"{terms.group}#{prefix_id(trace.steps[: decision.begin])}", trace.domain, trace.task, trace.trial,
        trace.seed, trace.system, decision.begin, decision.end, score.value, reason, score.parts,
        {"vetoes": list(score.vetoes), "notes": list(score.notes)}, trace.versions,
    )  # fmt: skip


def prefix_id(steps: Sequence[Step]) -> str:
    """A name for what has happened so far, times and sounds aside: the same for equal prefixes."""
    return hash_json([_essence(step) for step in steps])[:12]


def _essence(step: Step) -> list[Any]:
    """What of a step makes a prefix the same."""
    call = None if step.call is None else [step.call["name"], step.call["arguments"]]
    return [step.role, step.text, call, step.result]


def _before(terms: Terms, trace: Trace, decision: Decision) -> Snapshot:
    return snapshot_of(terms.domain, terms.task, trace.steps[: decision.begin])


def rewards_of(
    terms: Terms,
    trace: Trace,
    verdict: Verdict,
    levels: Sequence[Level] = LEVELS,
    replies: Mapping[int, Judged] | None = None,
    more: Mapping[int, Mapping[str, float]] | None = None,
) -> Iterator[Reward]:
    """All rewards of one trace: its outcome (dialogue, or milestone for a continuation), then each turn.

    By a decision's first step, `replies` are a judge's answers, and `more` are further parts of its turn's reward.
    An episode without an outcome gives no turns.
    """
    outcome = outcome_reward(terms, trace, verdict)
    if outcome.level in levels:
        yield outcome
    if "turn" in levels and outcome.value is not None:
        for decision in decisions(trace):
            at = decision.begin
            if at >= outcome.begin:
                found = turn_reward(terms, trace, decision, (replies or {}).get(at))
                yield with_parts(found, (more or {}).get(at, {}))
        if trace.stop == "agent_hung_up":
            yield hang_up_reward(terms, trace)


def with_parts(reward: Reward, more: Mapping[str, float]) -> Reward:
    """A turn's reward with further parts in its mean. A veto stands, and what has no value gets none."""
    if not more:
        return reward
    parts = {**reward.parts, **more}
    open_value = reward.value is not None and not reward.evidence["vetoes"]
    return replace(
        reward, parts=parts, value=sum(parts.values()) / len(parts) if open_value else reward.value
    )


async def judge_replies(terms: Terms, trace: Trace, judge: Asked) -> dict[int, Judged]:
    """A judge's answer about the words of each reply, by its first step."""
    spoken = [each for each in decisions(trace) if each.proposal.text]
    asks = [quality_ask(terms, _before(terms, trace, each), each.proposal.text) for each in spoken]
    answers = await verdicts(judge, asks)
    return {each.begin: answer for each, answer in zip(spoken, answers, strict=True)}
