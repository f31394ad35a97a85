"""A rollout: one episode played by a system and a partner, from the opening to the stop.

The partner sees the dialogue and its own tools, the agent the dialogue and its own; both act on the one private
state. A `Moment` holds everything (dialogues, state, partner), so that play can go on from it any number of times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from antiphon.clock import VirtualClock
from antiphon.envs.episode import Episode, Snapshot
from antiphon.envs.prompt import END_CALL, agent_tools, prompt_for, prompt_version
from antiphon.errors import ConfigError, ModelError, ReplyError
from antiphon.ids import seed_for
from antiphon.messages import Message, Speech, Text, ToolCall, ToolResult
from antiphon.models.ports import Reply, Request, Sampling, collect
from antiphon.trace import Step

if TYPE_CHECKING:
    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task
    from antiphon.models.ports import Chat, Transcriber
    from antiphon.partner.partner import Partner, PartnerTurn
    from antiphon.trace import StopReason, Trace

# (domain, task, steps so far) → why a required state cannot be reached any more; None while it can.
Unreachable = Callable[["Domain", "Task", Sequence[Step]], str | None]
_PARTNER_CALLS = 8  # of one turn: a partner that only uses its tools is not talking


@dataclass(frozen=True, slots=True)
class RolloutSettings:
    """What bounds an episode. `max_turns` counts the agent's turns, `max_calls` its tool calls, over the whole
    episode. `unreachable` (a module's function) stops an episode early."""

    max_turns: int = 30
    max_calls: int = 40
    max_tokens: int | None = 1024
    temperature: float = 0.0
    deadline_us: int | None = None
    may_hang_up: bool = True
    unreachable: Unreachable | None = None

    def __post_init__(self) -> None:
        for name, least in (("max_turns", 1), ("max_calls", 0), ("temperature", 0.0)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} must be at least {least:g}, not {getattr(self, name):g}")


@dataclass(frozen=True, slots=True)
class Moment:
    """An episode with both sides' dialogues at one moment, to go on from."""

    episode: Snapshot
    heard_by_agent: tuple[Message, ...]
    heard_by_partner: tuple[Message, ...]
    partner: bytes
    turns: int
    calls: int
    replies: tuple[dict[str, Any], ...]
    agent_is_next: bool


class _Stop(Exception):  # noqa: N818  no error: how an episode ends
    def __init__(self, reason: StopReason, why: str | None = None) -> None:
        super().__init__(reason, why)
        self.reason: StopReason = reason
        self.why = why


class Play:
    """One episode under way. `run` plays it to its stop; `save` and `restore` hold and bring back a moment.

    `sounds` collects every clip of the trace by its digest; `ears` writes down the words of a system that speaks
    without saying them; `watch` is called with this object whenever the agent's calls have their results or its turn
    is over: a moment saved then can be gone on from.
    """

    def __init__(  # noqa: PLR0913  what is played (2), by whom (2), how (3)
        self,
        episode: Episode,
        system: Chat,
        partner: Partner,
        settings: RolloutSettings,
        clock: Clock,
        *,
        seed: int = 0,
        sounds: dict[str, Clip] | None = None,
        ears: Transcriber | None = None,
        watch: Callable[[Play], None] | None = None,
    ) -> None:
        self.episode = episode
        self._system = system
        self._partner = partner
        self._settings = settings
        self._clock = clock
        self._seed = seed
        self._sounds = sounds if sounds is not None else {}
        self._ears = ears
        self._watch = watch
        domain = episode.domain
        self._tools = agent_tools(domain, episode.specs(), may_hang_up=settings.may_hang_up)
        self._hangs_up = len(self._tools) > len(episode.specs())
        self._to_agent: list[Message] = [prompt_for(domain, episode.task)]
        self._to_partner: list[Message] = []
        self._turns = 0
        self._calls = 0
        self._replies: list[dict[str, Any]] = []
        self._agent_is_next = False

    async def run(self, trial: int = 0) -> Trace:
        """Play to the stop. A model that cannot be had is a stop too."""
        try:
            while True:
                if not self._agent_is_next:
                    await self._partners_turn()
                    self._agent_is_next = True
                await self._agents_turn()
                if self._turns >= self._settings.max_turns:
                    raise _Stop("turn_limit", f"{self._turns} turns of the agent")
        except _Stop as stop:
            return self._finish(stop.reason, stop.why, trial)
        except ModelError as error:
            transient = {"transient": True} if error.transient else {}
            return self._finish("infrastructure", str(error), trial, transient)

    def save(self) -> Moment:
        """The moment, to come back to."""
        return Moment(
            self.episode.snapshot(), tuple(self._to_agent), tuple(self._to_partner), self._partner.snapshot(),
            self._turns, self._calls, tuple(self._replies), self._agent_is_next,
        )  # fmt: skip

    def restore(self, moment: Moment) -> None:
        """Go on from a moment of this task, saved by this or another play of it."""
        self.episode.restore(moment.episode)
        self._to_agent = list(moment.heard_by_agent)
        self._to_partner = list(moment.heard_by_partner)
        self._partner.restore(moment.partner)
        self._turns, self._calls = moment.turns, moment.calls
        self._replies = list(moment.replies)
        self._agent_is_next = moment.agent_is_next

    async def _partners_turn(self) -> None:
        for _ in range(_PARTNER_CALLS):
            turn = await self._partner.turn(self._to_partner)
            if turn.left_script is not None:
                self._heard_from_partner(turn)
                raise _Stop("partner_left_script", turn.left_script)
            if turn.text:
                self._heard_from_partner(turn)
            if turn.stopped_early is not None:
                raise _Stop("partner_stopped_early", turn.stopped_early)
            if turn.hang_up:
                raise _Stop("partner_hung_up")
            if not turn.tool_calls:
                return
            self._to_partner.append(Message("user", turn.tool_calls))
            results = tuple(self.episode.call(each, "user") for each in turn.tool_calls)
            self._to_partner.append(Message("tool", results))
        raise _Stop("partner_left_script", f"{_PARTNER_CALLS} tool calls in a row and not a word")

    def _heard_from_partner(self, turn: PartnerTurn) -> None:
        self.episode.say("user", turn.text, clip=self._kept(turn.clip), cues=turn.cues)
        written = Text(turn.text)
        self._to_partner.append(Message("user", (written,)))
        self._to_agent.append(Message("user", (Speech(turn.clip) if turn.clip is not None else written,)))

    async def _agents_turn(self) -> None:
        while True:
            reply, problem = await self._reply()
            words = await self._words(reply)
            if words or not reply.tool_calls:
                heard = {"heard": reply.heard} if reply.heard is not None else {}
                heard |= {"problem": problem} if problem is not None else {}
                self.episode.say("assistant", words, clip=self._kept(reply.clip), cues=heard)
                self._to_partner.append(Message("assistant", (Text(words),)))
            spoken = (Text(words),) if words or not reply.tool_calls else ()
            self._to_agent.append(Message("assistant", (*spoken, *reply.tool_calls)))
            if not reply.tool_calls:
                break
            self._to_agent.append(Message("tool", tuple(map(self._agents_call, reply.tool_calls))))
            self._check_reachable()
            self._show()
        self._turns += 1
        self._agent_is_next = False
        self._show()

    async def _reply(self) -> tuple[Reply, str | None]:
        """The next reply. An answer that is none is a silent turn of the system, with what was wrong with it."""
        settings = self._settings
        began_us = self._clock.mono_us()
        draw = Sampling(seed_for(self._seed, len(self._replies)), settings.temperature, settings.max_tokens)
        request = Request(
            tuple(self._to_agent), self._tools, self._system.gives, draw, deadline_us=settings.deadline_us
        )
        problem = None
        try:
            reply = await collect(self._system, request)
        except ReplyError as error:
            problem = error.problem
            reply = Reply("", None, (), "error", None, None, self._clock.mono_us() - began_us)
        if isinstance(self._clock, VirtualClock):  # a scripted system declares how long it took
            self._clock.advance_us(max(0, began_us + reply.end_us - self._clock.mono_us()))
        self._replies.append(_kept_of(reply, len(self.episode.steps)))
        return reply, problem

    async def _words(self, reply: Reply) -> str:
        """What a reply says. Raises ModelError for speech that nobody can write down."""
        if reply.text or reply.clip is None or not len(reply.clip):
            return reply.text
        if self._ears is None:
            raise ModelError(
                self._system.name, "speaks without saying its words; name a recogniser with --transcriber"
            )
        found = await self._ears.transcribe([reply.clip], self.episode.task.language)
        return found[0].text

    def _agents_call(self, call: ToolCall) -> ToolResult:
        if call.name == END_CALL and self._hangs_up:
            raise _Stop("agent_hung_up", "it called end_call")
        if self._calls >= self._settings.max_calls:
            raise _Stop("tool_limit", f"{self._calls} tool calls")
        self._calls += 1
        return self.episode.call(call)

    def _show(self) -> None:
        if self._watch is not None:
            self._watch(self)

    def _check_reachable(self) -> None:
        if self._settings.unreachable is None:
            return
        why = self._settings.unreachable(self.episode.domain, self.episode.task, self.episode.steps)
        if why is not None:
            raise _Stop("unreachable", why)

    def _kept(self, clip: Clip | None) -> str | None:
        """The digest under which a clip is kept."""
        if clip is None or not len(clip):
            return None
        self._sounds[clip.digest] = clip
        return clip.digest

    def _finish(
        self, stop: StopReason, why: str | None, trial: int, more: dict[str, Any] | None = None
    ) -> Trace:
        trace = self.episode.finish(
            stop, why=why, trial=trial, seed=self._seed, system=self._system.name, partner=self._partner.name
        )
        versions = {**trace.versions, "prompt": prompt_version()}
        return replace(trace, versions=versions, meta={"replies": self._replies, **(more or {})})


def _kept_of(reply: Reply, step: int) -> dict[str, Any]:
    """A reply's figures: the step that it made, its times (microseconds from the request), usage and tokens."""
    figures: dict[str, Any] = {
        "step": step,
        "first_token_us": reply.first_token_us,
        "first_audio_us": reply.first_audio_us,
        "end_us": reply.end_us,
        "finish": reply.finish,
        "prompt_tokens": reply.usage.prompt_tokens,
        "completion_tokens": reply.usage.completion_tokens,
        "cost_usd": reply.cost_usd,
    }
    if reply.tokens is not None:
        figures["tokens"] = {
            "prompt_ids": list(reply.tokens.prompt_ids),
            "completion_ids": list(reply.tokens.completion_ids),
            "logprobs": list(reply.tokens.logprobs),
        }
    return {name: value for name, value in figures.items() if value is not None}


async def roll_out(  # noqa: PLR0913  the seam of whoever plays an episode: what (2), by whom (2), how and when
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
    """Play one episode. Never raises for what a model does wrong: the trace says how it stopped.

    `sounds` collects every clip of the trace by its digest. A domain's and a user's errors are raised.
    """
    episode = Episode(domain, task, clock)
    play = Play(episode, system, partner, settings, clock, seed=seed, sounds=sounds, ears=ears)
    return await play.run(trial)
