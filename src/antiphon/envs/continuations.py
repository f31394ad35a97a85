"""Several continuations from one saved moment: dialogues, state and partner are saved where a milestone is reached,
and play goes on from there as often as wanted, each time on a copy of its own (section 4.4).

A moment is saved just before the agent's next reply, so that continuations differ in that very decision. Moments
are rebuilt from kept traces too: from any prefix, that of an earlier failure included.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from antiphon.envs.decisions import decisions
from antiphon.envs.episode import Episode, snapshot_of
from antiphon.envs.milestones import milestones_of, reached
from antiphon.envs.prompt import prompt_for
from antiphon.envs.reward import prefix_id
from antiphon.envs.rollout import Moment, Play
from antiphon.errors import DataError
from antiphon.ids import seed_for
from antiphon.messages import Message, Speech, Text, ToolResult

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.envs.domain import Domain
    from antiphon.envs.rollout import RolloutSettings
    from antiphon.envs.task import Task
    from antiphon.messages import Kind, Part
    from antiphon.models.ports import Chat, Chunk, Request, Transcriber
    from antiphon.partner.partner import Partner
    from antiphon.trace import Step, Trace


@dataclass(frozen=True, slots=True)
class Saved:
    """A moment to go on from. `milestone` is how many were reached; `id` names the prefix, `trial` who played it."""

    id: str
    milestone: int
    trial: int
    moment: Moment

    @property
    def step(self) -> int:
        """How many steps lie before it."""
        return len(self.moment.episode.steps)


class _Watched:
    """A chat model that tells when it is about to be asked."""

    def __init__(self, chat: Chat, before: Callable[[], None]) -> None:
        self.name = chat.name
        self.accepts: frozenset[Kind] = chat.accepts
        self.gives: frozenset[Kind] = chat.gives
        self._chat = chat
        self._before = before

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        self._before()
        async with aclosing(self._chat.stream(request)) as chunks:
            async for chunk in chunks:
                yield chunk


async def roll_out_saving(  # noqa: PLR0913  as roll_out, whose seam this is
    domain: Domain,
    task: Task,
    system: Chat,
    partner: Partner,
    settings: RolloutSettings,
    *,
    seed: int,
    trial: int,
    clock: Clock,
    sounds: dict[str, Clip] | None = None,
    ears: Transcriber | None = None,
) -> tuple[Trace, tuple[Saved, ...]]:
    """Play one episode and save a moment for each milestone that it reaches, before the agent's next reply."""
    milestones = milestones_of(domain, task)
    saved: list[Saved] = []

    def look() -> None:
        steps = play.episode.steps
        count = len(reached(milestones, steps))
        if count > (saved[-1].milestone if saved else 0):
            saved.append(Saved(prefix_id(steps), count, trial, play.save()))

    episode = Episode(domain, task, clock)
    watched = _Watched(system, look)
    play = Play(episode, watched, partner, settings, clock, seed=seed, sounds=sounds, ears=ears)
    trace = await play.run(trial)
    return trace, tuple(saved)


async def go_on(  # noqa: PLR0913  as roll_out, from a moment
    saved: Saved,
    domain: Domain,
    task: Task,
    system: Chat,
    partner: Partner,
    settings: RolloutSettings,
    *,
    seed: int,
    trial: int,
    clock: Clock,
    sounds: dict[str, Clip] | None = None,
    ears: Transcriber | None = None,
) -> Trace:
    """Play one continuation to its stop, with a partner opened as the saved one was. Its trace is whole, prefix
    included; `meta.moment` says where it went on from."""
    episode = Episode(domain, task, clock)
    play = Play(episode, system, partner, settings, clock, seed=seed, sounds=sounds, ears=ears)
    play.restore(saved.moment)
    trace = await play.run(trial)
    origin = {"id": saved.id, "step": saved.step, "milestone": saved.milestone, "trial": saved.trial}
    return replace(trace, meta={**trace.meta, "moment": origin})


async def continuations(  # noqa: PLR0913  as roll_out, several times
    saved: Saved,
    domain: Domain,
    task: Task,
    system: Chat,
    open_partner: Callable[[], Partner],
    settings: RolloutSettings,
    *,
    count: int,
    seed: int,
    clock: Callable[[], Clock],
    ears: Transcriber | None = None,
) -> list[Trace]:
    """`count` continuations of one moment; each draws with a seed of its own and has its own copy of everything."""
    return [
        await go_on(
            saved, domain, task, system, open_partner(), settings,
            seed=seed_for(seed, saved.id, number), trial=number, clock=clock(), ears=ears,
        )
        for number in range(count)
    ]  # fmt: skip


async def moment_before(
    domain: Domain,
    task: Task,
    trace: Trace,
    step: int,
    partner: Partner,
    sounds: Mapping[str, Clip] | None = None,
) -> Saved:
    """The moment just before the agent's reply at `step` of a kept trace, rebuilt.

    The partner is brought there by hearing the dialogue again, so it must be one that answers alike (a scripted
    one does). Raises DataError where it does not, where no reply begins at `step`, and for speech without its clip.
    """
    replies = decisions(trace)
    number = next((at for at, each in enumerate(replies) if each.begin == step), None)
    if number is None:
        begins = ", ".join(str(each.begin) for each in replies)
        raise DataError(
            "trace", f"no reply begins at step {step}; they begin at {begins}", field=task.task_id
        )
    before = trace.steps[:step]
    to_agent, to_partner = await _heard(domain, task, replace(trace, steps=before), partner, sounds or {})
    turns = sum(
        step.role == "user" and at > 0 and before[at - 1].role == "assistant"
        for at, step in enumerate(before)
    )
    calls = sum(each.call is not None and each.role == "assistant" for each in before)
    noted: list[dict[str, Any]] = trace.meta.get("replies", [])
    moment = Moment(
        snapshot_of(domain, task, before), tuple(to_agent), tuple(to_partner), partner.snapshot(), turns, calls,
        tuple(noted[:number]), agent_is_next=True,
    )  # fmt: skip
    count = len(reached(milestones_of(domain, task), before))
    return Saved(prefix_id(before), count, trace.trial, moment)


async def _heard(
    domain: Domain, task: Task, trace: Trace, partner: Partner, sounds: Mapping[str, Clip]
) -> tuple[list[Message], list[Message]]:
    """The dialogues of both sides, and the partner brought to where it was."""
    to_agent: list[Message] = [prompt_for(domain, task)]
    to_partner: list[Message] = []
    replies = {each.begin: each for each in decisions(trace)}
    at = 0
    while at < len(trace.steps):
        step = trace.steps[at]
        if (reply := replies.get(at)) is not None:
            steps = trace.steps[at : reply.end]
            words = [Text(each.text or "") for each in steps if each.call is None]
            to_partner += [Message("assistant", (each,)) for each in words]
            to_agent.append(Message("assistant", (*words, *reply.proposal.calls)))
            to_agent += [_results(steps)] if reply.proposal.calls else []
            at = reply.end
            continue
        turn = await partner.turn(to_partner)
        if turn.text:
            _same(turn.text, step.text, at, task)
            to_partner.append(Message("user", (Text(turn.text),)))
            to_agent.append(Message("user", (_said(step, sounds, task),)))
            at += 1
        if turn.tool_calls:
            steps = trace.steps[at : at + len(turn.tool_calls)]
            for call, each in zip(turn.tool_calls, steps, strict=False):
                _same(call.name, each.call["name"] if each.call is not None else each.text, at, task)
            to_partner += [Message("user", turn.tool_calls), _results(steps)]
            at += len(steps)
        elif not turn.text:
            _same("", step.text, at, task)
    return to_agent, to_partner


def _same(now: str, then: str | None, at: int, task: Task) -> None:
    """Raises DataError where a partner does not answer as it did."""
    if now != then:
        problem = f"the partner now says {now!r} at step {at}, and then said {then!r}"
        raise DataError("trace", problem, field=task.task_id)


def _said(step: Step, sounds: Mapping[str, Clip], task: Task) -> Part:
    if step.clip is None:
        return Text(step.text or "")
    if step.clip not in sounds:
        raise DataError("trace", f"the clip {step.clip} is not at hand", field=task.task_id)
    return Speech(sounds[step.clip])


def _results(steps: Sequence[Step]) -> Message:
    """The results of a reply's calls as the caller reads them."""
    pairs = [(step.call, step.result) for step in steps if step.call is not None and step.result is not None]
    return Message(
        "tool", tuple(ToolResult(call["id"], done.get("value"), done.get("error")) for call, done in pairs)
    )
