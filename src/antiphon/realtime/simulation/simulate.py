"""One session in virtual time: people from a script, ears, the engine, and scripted workers with seeded latencies.

The run is driven by events: a minute of silence costs nothing. With `every_frame` the engine is stepped for each
20 ms of sound as well, as in real time; the log is the same (tested).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from antiphon.ids import seed_for
from antiphon.live import FRAME_US
from antiphon.partner.live import AgentSound, LivePartner
from antiphon.realtime import events
from antiphon.realtime.engine.engine import Engine
from antiphon.realtime.simulation.loudspeaker import Loudspeaker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.partner.live import Line, Stretch
    from antiphon.realtime.events import Effect, Input
    from antiphon.realtime.settings import Settings
    from antiphon.realtime.simulation.ears import Ears
    from antiphon.realtime.turn_policy import TurnPolicy

REST_US = 4_000_000  # what is listened to after the last line and the last word of the agent
HEARD_REST_US = 6_000_000  # the same where words take a recogniser's time
_HAN_MS, _LETTER_MS = 210, 62  # how long a synthesizer takes for a character
_SOMEWHERE = 1 << 62


@dataclass(frozen=True, slots=True)
class Session:
    """A script: who says what when, what the agent is told, and what the scripted model answers to a line."""

    id: str
    language: str
    lines: tuple[Line, ...]
    settings: Settings
    answers: Mapping[str, str]  # line → answer; "" for every other turn
    rate: float = 1.0


@dataclass(frozen=True, slots=True)
class Sounding:
    """Sound of the agent, from `start_us` to `end_us`. `answers`: the utterances it answers, `()` for none."""

    item: str
    answers: tuple[str, ...]
    rest: bool  # it goes on with what was cut
    start_us: int
    end_us: int


@dataclass(slots=True)
class Performed:
    """What happened: where each line stood (None: it was left out), what sounded, and every input and effect.

    `heard` is what was made of each utterance in the end: the lines in it, and its words.
    """

    session: Session
    spans: dict[str, tuple[int, int] | None] = field(default_factory=dict[str, "tuple[int, int] | None"])
    said: dict[str, tuple[Stretch, ...]] = field(default_factory=dict[str, "tuple[Stretch, ...]"])
    heard: dict[str, tuple[tuple[str, ...], str]] = field(
        default_factory=dict[str, "tuple[tuple[str, ...], str]"]
    )
    sounds: list[Sounding] = field(default_factory=list[Sounding])
    log: list[bytes] = field(default_factory=list[bytes])
    lengths_us: dict[str, int] = field(default_factory=dict[str, int])  # how long each item's sound is
    end_us: int = 0
    steps: int = 0


class Simulation:
    """One session with one policy. `run` returns what happened."""

    def __init__(
        self,
        session: Session,
        policy: TurnPolicy,
        ears: Ears,
        seed: int,
        *,
        every_frame: bool = False,
        inputs: Sequence[Input] = (),
    ) -> None:
        """`every_frame` steps for every 20 ms, too. `inputs` were observed elsewhere, at their own times."""
        self._session = session
        self._engine = Engine(session.settings, policy)
        self._ears = ears
        self._seed = seed
        self._partner = LivePartner(session.lines)
        self._agent = AgentSound()
        self._done = Performed(session)
        self._heap: list[tuple[int, int, Input | None]] = []
        self._count = 0
        self._every_frame = every_frame
        self._speaker = Loudspeaker()
        self._starts: dict[str, tuple[str, ...]] = {}  # item → utterances it answers
        self._rendered_us = 0
        self._inputs = inputs
        self._begins: tuple[str, int] | None = None  # the line that is planned, and for when
        self._words: dict[str, str] = {}
        self._frame_us = FRAME_US  # when the next frame has been heard

    def run(self) -> Performed:
        """Play the session to its end."""
        if self._every_frame:
            self._push(0, events.FrameIn(0))
        if self._ears.by_frames:
            self._push(self._frame_us, None)
        self._plan(0)
        for observed in self._inputs:
            self._push(observed.t_us, observed)
        last_us = max((observed.t_us for observed in self._inputs), default=0)
        self._push(last_us + REST_US, None)
        while self._heap:
            now_us = self._heap[0][0]
            given: list[Input] = []
            while self._heap and self._heap[0][0] == now_us:
                entry = heapq.heappop(self._heap)[2]
                if entry is not None:
                    given.append(entry)
            self._step(now_us, given)
            if now_us >= last_us + REST_US and self._over(now_us):
                break
        self._sound_ends(self._done.end_us)
        self._done.heard = {name: (self._ears.lines_of(name), words) for name, words in self._words.items()}
        return self._done

    def _push(self, t_us: int, given: Input | None) -> None:
        self._count += 1
        heapq.heappush(self._heap, (t_us, self._count, given))

    # ---- one moment

    def _step(self, now_us: int, given: list[Input]) -> None:
        self._speak(now_us)
        self._listen(now_us, given)
        given += self._speaker.receipt(now_us)
        self._done.steps += 1
        self._done.end_us = now_us
        if self._every_frame and any(isinstance(each, events.FrameIn) for each in given):
            self._push(now_us + FRAME_US, events.FrameIn(now_us + FRAME_US))
        effects = self._engine.step(now_us, given)
        for each in sorted(given, key=events.place):
            if isinstance(each, events.Words):
                self._words[each.utterance] = each.text
            if not isinstance(each, events.FrameIn):
                self._done.log.append(_line("in", now_us, each))
        for effect in effects:
            if not isinstance(effect, events.WakeAt):
                self._done.log.append(_line("out", now_us, effect))
            self._do(now_us, effect)
        self._plan(now_us)

    def _over(self, now_us: int) -> bool:
        """Whether all is said, and nothing more is to come."""
        if self._partner.line is not None or self._speaker.item is not None or self._ears.busy:
            return False
        last_us = max((span[1] for span in self._done.spans.values() if span), default=0)
        quiet_us = max(last_us, self._agent.ended_us or 0)
        return now_us >= quiet_us + (HEARD_REST_US if self._ears.by_frames else REST_US)

    # ---- the people

    def _speak(self, now_us: int) -> None:
        """Begin the line whose moment is now."""
        line = self._partner.line
        if line is None:
            return
        begins_us = self._partner.begins_us(self._agent)
        if begins_us is not None and begins_us <= now_us:
            stretches = self._done.said[line.id] = self._ears.says(line, self._session.rate)
            end_us = now_us + stretches[-1].end_us
            self._done.spans[line.id] = (now_us, end_us)
            self._partner.said(end_us)
            self._agent.began_us = self._agent.began_us if self._agent.sounding else None
            for each in self._ears.hears(line, stretches, now_us):
                self._push(each.t_us, each)
            self._push(end_us + REST_US, None)
        elif line.cue == "over" and begins_us is None and now_us >= self._partner.gives_up_us():
            self._done.spans[line.id] = None
            self._partner.skip()

    def _listen(self, now_us: int, given: list[Input]) -> None:
        """Let ears that need it hear the last 20 ms."""
        if self._ears.by_frames and now_us == self._frame_us:
            self._frame_us += FRAME_US
            given += self._ears.frame(now_us, holds=self._speaker.item is not None)
            self._push(self._frame_us, None)

    def _plan(self, now_us: int) -> None:
        """Be there when the next line begins, as things stand."""
        line = self._partner.line
        if line is None:
            return
        begins_us = self._partner.begins_us(self._agent)
        if begins_us is None:
            begins_us = self._partner.gives_up_us() if line.cue == "over" else _SOMEWHERE
        if begins_us < _SOMEWHERE and self._begins != (line.id, begins_us):
            self._begins = (line.id, begins_us)
            self._push(max(begins_us, now_us + 1), None)

    # ---- the workers

    def _latency_us(self, effect_id: str, least_us: int, most_us: int) -> int:
        return least_us + seed_for(self._seed, self._session.id, effect_id) % (most_us - least_us)

    def _do(self, now_us: int, effect: Effect) -> None:
        match effect:
            case events.WakeAt():
                self._push(max(effect.t_us, now_us), None)
            case events.StartAnswer():
                lines = [line for name in effect.utterances for line in self._ears.lines_of(name)]
                self._starts[effect.item] = tuple(dict.fromkeys((*effect.utterances, *lines)))
                at_us = now_us + self._latency_us(effect.id, 250_000, 600_000)
                text = self._answer(effect)
                self._push(at_us, events.AnswerText(at_us, effect.id, effect.generation, text))
                self._push(at_us, events.AnswerDone(at_us, effect.id, effect.generation))
            case events.Render():
                at_us = now_us + self._latency_us(effect.id, 60_000, 160_000)
                at_us = self._rendered_us = max(at_us, self._rendered_us + 1)  # one clause after the other
                ms = _lasts_ms(effect.text)
                self._done.lengths_us[effect.item] = self._done.lengths_us.get(effect.item, 0) + ms * 1000
                self._push(
                    at_us,
                    events.Rendered(at_us, effect.id, effect.generation, ms, len(effect.text), last=True),
                )
                for t_us in self._speaker.owe(effect.item, at_us, ms, now_us):
                    self._push(t_us, None)
            case events.Play() | events.Pause() | events.Resume() | events.Stop():
                self._sounds(now_us, effect)
            case events.Said():
                if self._speaker.item == effect.item:
                    self._sound_ends(now_us)
            case _:
                pass

    def _answer(self, effect: events.StartAnswer) -> str:
        lines = [line for name in effect.utterances for line in self._ears.lines_of(name)]
        known = [
            self._session.answers[name]
            for name in (*lines, *effect.utterances)
            if name in self._session.answers
        ]
        return known[-1] if known else self._session.answers[""]

    def _sounds(self, now_us: int, effect: events.Play | events.Pause | events.Resume | events.Stop) -> None:
        speaker = self._speaker
        match effect:
            case events.Play():
                speaker.play(effect.item, now_us)
            case events.Resume():
                speaker.resume(effect.from_ms, now_us)
            case events.Pause():
                self._note_sound(now_us)
                self._push(now_us + 1, speaker.pause(now_us))
                return
            case events.Stop():
                if speaker.item == effect.item:
                    self._sound_ends(now_us)
                return
        if not self._agent.sounding:
            self._agent.sounding, self._agent.began_us = True, now_us
        for t_us in speaker.times(now_us):
            self._push(t_us, None)

    def _note_sound(self, now_us: int) -> None:
        item, since_us = self._speaker.item, self._speaker.since_us
        if item is not None and since_us is not None:
            answers, rest = self._starts.get(item, ()), item not in self._starts
            self._done.sounds.append(Sounding(item, answers, rest, since_us, now_us))

    def _sound_ends(self, now_us: int) -> None:
        self._note_sound(now_us)
        if self._speaker.item is not None:
            self._speaker.stop()
            self._agent.sounding, self._agent.ended_us = False, now_us
            self._push(now_us + REST_US, None)


def _lasts_ms(text: str) -> int:
    """How long a synthesizer speaks: about as long as people do."""
    return 80 + sum(
        _HAN_MS if "\u3400" <= char <= "\u9fff" else _LETTER_MS for char in text if char.isalnum()
    )


def _line(way: str, now_us: int, what: Input | Effect) -> bytes:
    return msgspec.json.encode([now_us, way, type(what).__name__, what])
