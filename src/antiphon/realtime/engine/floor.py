"""Who speaks: utterances as they become known, those undecided, and what was ruled."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from antiphon.realtime.events import Score, SpeakerKnown, SpeechStarted, SpeechStopped, Words
from antiphon.realtime.turn_policy import Observation, Ruled, Utterance

if TYPE_CHECKING:
    from antiphon.realtime.turn_policy import Decision

_REMEMBERED = 12
_REVISED_US = 10_000_000  # words later than this after the end of speech change no decision
_FIRST_US = (
    120_000_000  # the first ones do, where a slow recogniser gave none before: what was asked is answered
)
_BRIEF_US = 1_000_000

Group = tuple[str, ...]
Speech = SpeechStarted | SpeechStopped | SpeakerKnown | Words | Score


@dataclass(slots=True)
class Pending:
    """What was decided so far about an utterance that is not settled."""

    dirty: bool = True
    ask_us: int | None = None
    blocking: bool = True  # nobody else takes the floor
    resumed: bool = False  # the agent has gone on in spite of it: it pauses no more
    cut: str | None = None  # the item that it stopped


def _substantial(speech: Utterance) -> bool:
    """Whether it may have wanted something: not where it was a short sound over the agent's speech."""
    lasted_us = _BRIEF_US if speech.offset_us is None else speech.offset_us - speech.onset_us
    return not speech.overlapped or lasted_us >= _BRIEF_US


@dataclass(slots=True)
class Floor:
    """The reducer of speech. `pending` keeps the order of onset."""

    utterances: dict[str, Utterance] = field(default_factory=dict[str, Utterance])
    pending: dict[str, Pending] = field(default_factory=dict[str, Pending])
    recent: list[Ruled] = field(default_factory=list[Ruled])
    scores: dict[str, dict[str, float]] = field(default_factory=dict[str, "dict[str, float]"])
    turns: dict[str, str] = field(default_factory=dict[str, str])  # settled utterance → its turn's item

    def take(self, given: Speech, *, overlapped: bool) -> None:
        """Note what became known; what changes an undecided or lately ruled utterance asks the policy again."""
        known = self.utterances.get(given.utterance) if given.utterance else None
        match given:
            case SpeechStarted():
                self._begin(given, known, overlapped=overlapped)
            case Score() if given.utterance:
                self.scores.setdefault(given.utterance, {})[given.name] = given.value
                self._touch(given.utterance)
            case SpeechStopped() if known and known.offset_us is None:
                self._know(replace(known, offset_us=max(known.onset_us, given.offset_us)))
            case SpeakerKnown() if known:
                changed = known.enrolled != given.enrolled
                self.utterances[known.id] = replace(known, speaker=given.speaker, enrolled=given.enrolled)
                if (known.speaker, known.enrolled) != (given.speaker, given.enrolled):
                    self.ask_all()  # the group that it leaves waits for it no more
                self._reopen(known.id, given.t_us, _REVISED_US, changed=changed)
            case Words() if known and not known.final:
                changed = known.text != given.text
                late_us = _FIRST_US if not known.text and _substantial(known) else _REVISED_US
                self.utterances[known.id] = replace(
                    known, text=given.text, words_end_us=given.end_us, final=given.final
                )
                self._reopen(known.id, given.t_us, late_us, changed=changed)
            case _:
                pass

    def _begin(self, given: SpeechStarted, known: Utterance | None, *, overlapped: bool) -> None:
        if known is not None:
            return
        self.utterances[given.utterance] = Utterance(
            given.utterance, given.onset_us, None, given.track, given.speaker, given.enrolled, given.level_db,
            overlapped=overlapped,
        )  # fmt: skip
        self.pending[given.utterance] = Pending()

    def _know(self, utterance: Utterance) -> None:
        self.utterances[utterance.id] = utterance
        self._touch(utterance.id)

    def _touch(self, utterance: str) -> None:
        if utterance in self.pending:
            self.pending[utterance].dirty = True

    def ask_all(self) -> None:
        """Whatever is undecided is looked at again."""
        for pending in self.pending.values():
            pending.dirty = True

    def _reopen(self, utterance: str, now_us: int, late_us: int, *, changed: bool) -> None:
        """Late knowledge: an undecided utterance is looked at again, and so is one ruled a moment ago."""
        if utterance in self.pending:
            self.pending[utterance].dirty = True
            return
        known = self.utterances[utterance]
        ended_us = known.offset_us if known.offset_us is not None else now_us
        if changed and now_us - ended_us <= late_us:
            self.pending[utterance] = Pending(blocking=False, resumed=True)
            self.recent = [ruled for ruled in self.recent if ruled.utterance.id != utterance]

    def groups(self) -> list[Group]:
        """Undecided utterances by speaker. A revised one stands alone: its turn is made already."""
        found: dict[object, list[str]] = {}
        for name in self.pending:
            each = self.utterances[name]
            key = name if name in self.turns else (each.track, each.speaker, each.enrolled)
            found.setdefault(key, []).append(name)
        return [tuple(names) for names in found.values()]

    def asked_now(self, now_us: int, yield_us: int) -> list[Group]:
        """Groups about which something new is known, or whose time has come."""
        return [
            group
            for group in self.groups()
            if any(self.pending[name].dirty for name in group)
            or self._due(group) <= now_us
            or self.overdue(group, now_us, yield_us)
        ]

    def overdue(self, group: Group, now_us: int, yield_us: int) -> bool:
        """Whether it began over the agent's speech so long ago that it has to be ruled now."""
        return any(
            self._unruled(name) and now_us >= self.utterances[name].onset_us + yield_us for name in group
        )

    def _unruled(self, name: str) -> bool:
        pending = self.pending.get(name)
        return (
            pending is not None
            and self.utterances[name].overlapped
            and not pending.resumed
            and pending.cut is None
        )

    def _due(self, group: Group) -> float:
        asks = [self.pending[name].ask_us for name in group]
        return min((ask for ask in asks if ask is not None), default=float("inf"))

    def next_us(self, yield_us: int, longest_us: int) -> int | None:
        """When the policy, the end of an overlap or the end of patience is due."""
        times: list[int] = []
        for name, pending in self.pending.items():
            each = self.utterances[name]
            if pending.ask_us is not None:
                times.append(pending.ask_us)
            if self._unruled(name):
                times.append(each.onset_us + yield_us)
            if each.offset_us is None:
                times.append(each.onset_us + longest_us)
        return min(times, default=None)

    def expire(self, now_us: int, longest_us: int) -> None:
        """End utterances whose end nobody reported."""
        for name in self.pending:
            each = self.utterances[name]
            if each.offset_us is None and now_us >= each.onset_us + longest_us:
                self._know(replace(each, offset_us=each.onset_us + longest_us))

    def seen(self, group: Group, now_us: int, *, must_decide: bool) -> Observation:
        members = tuple(self.utterances[name] for name in group)
        return Observation(now_us, members, tuple(self.recent), self.scores.get(group[-1], {}), must_decide)

    def note(self, group: Group, decision: Decision, now_us: int) -> None:
        """Keep what an unsettled decision said."""
        ask_us = decision.ask_again_us
        for name in group:
            pending = self.pending[name]
            pending.dirty = False
            pending.ask_us = None
            pending.blocking = decision.floor in ("LISTEN", "STOP")
        self.pending[group[-1]].ask_us = None if ask_us is None else max(ask_us, now_us + 1)

    def settle(self, group: Group, decision: Decision, turn: str | None) -> None:
        """The group is ruled: it leaves the undecided."""
        for name in group:
            self.pending.pop(name, None)
            self.recent.append(Ruled(self.utterances[name], decision.answer == "ANSWER", decision.aside))
            if turn is None:
                self.turns.pop(name, None)
            else:
                self.turns[name] = turn
        self.recent = self.recent[-_REMEMBERED:]

    def ruled(self, group: Group) -> None:
        """The overlap is ruled: the agent pauses for it no more."""
        for name in group:
            if name in self.pending:
                self.pending[name].resumed = True

    def resumed(self, group: Group) -> bool:
        return self.pending[group[-1]].resumed

    def cut(self, group: Group, item: str | None) -> None:
        """The group has stopped the item."""
        for name in group:
            self.pending[name].cut = item

    def cut_by(self, group: Group) -> str | None:
        return next((cut for name in group if (cut := self.pending[name].cut)), None)

    def blocked(self) -> bool:
        """Whether undecided speech keeps the agent from taking the floor."""
        return any(pending.blocking for pending in self.pending.values())

    def speaking(self) -> bool:
        """Whether somebody is speaking just now of whom it is not ruled that the agent may go on."""
        return any(
            pending.blocking and self.utterances[name].offset_us is None
            for name, pending in self.pending.items()
        )
