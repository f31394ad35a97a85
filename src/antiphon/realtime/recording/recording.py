"""A session kept on disk for those who run the server: both voices, what was said and when, and every decision.

With redaction only speech whose words are known and harmless is written at all; until then it waits in memory.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from antiphon.errors import DataError
from antiphon.jsonl import dumps
from antiphon.realtime import events
from antiphon.realtime.recording.redaction import redacted
from antiphon.realtime.recording.tracks import RATE_HZ, Agent, Person, WavFile, place
from antiphon.realtime.simulation.recorded import head, row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from antiphon.realtime.events import Effect, Input
    from antiphon.realtime.live.playout import Frame
    from antiphon.realtime.simulation.recorded import Header

KIND = "antiphon-recording"
ABOUT, SOUND, TRANSCRIPT, LOG = "about.json", "sound.wav", "transcript.jsonl", "session.jsonl"
# People say numbers in groups, with pauses in which an utterance ends: three digits may be part of more.
_LEAST_SPOKEN = 3
_SETTLED_US = 500_000  # what happened before is in its place
_MARGIN_US = 500_000  # around an utterance: the detector's times and arrival differ by some jitter
_LONGEST_WAIT_US = 120_000_000


class Recording:
    """One session's witness. `knows_pauses`: the client holds the sound at a pause, and so is not heard to play it.
    A disk that refuses ends the recording, and `failed` is told."""

    def __init__(
        self,
        folder: Path,
        about: dict[str, Any],
        header: Header,
        *,
        redact: bool,
        knows_pauses: bool,
        failed: Callable[[str], None],
    ) -> None:
        """Raises DataError where the folder is taken or cannot be written."""
        self._redact, self._knows_pauses, self._failed = redact, knows_pauses, failed
        self._person, self._agent = Person(), Agent()
        self._speaking: dict[str, int] = {}  # utterances whose words are not known yet → onset
        self._ends: dict[str, int] = {}
        self._clear: list[tuple[int, int]] = []  # of the person's track: may be written
        self._pushes: list[tuple[int, int, int]] = []  # sample, its time, and when the piece ended
        self._items: dict[str, int] = {}  # items that are not over → sample of their first frame
        self._began_us: dict[str, int] = {}
        self._open = True
        try:
            folder.mkdir(mode=0o700, parents=True)
            _write_new(
                folder / ABOUT, dumps({"kind": KIND, "v": 1, **about, "rate_hz": RATE_HZ, "redacted": redact})
            )
            self._rows = _open_new(folder / TRANSCRIPT)
            # The log holds words in pieces, in which no number can be found.
            self._log = None if redact else _open_new(folder / LOG)
            if self._log is not None:
                os.write(self._log, head(header))
        except OSError as error:
            raise DataError(folder, f"cannot be written ({error.strerror or error})") from error
        self._sound = WavFile(folder / SOUND)

    # ---- the witness

    def heard(self, pcm: bytes, now_us: int) -> None:
        if self._open:
            begin, end = self._person.hear(pcm, now_us)
            if self._redact:
                self._pushes.append((begin, now_us - (end - begin) * 1_000_000 // RATE_HZ, now_us))
            self._advance(now_us)

    def sent(self, frame: Frame, now_us: int) -> None:
        if self._open:
            begin_us = self._agent.send(frame, now_us)
            self._items.setdefault(frame.item, place(begin_us))
            self._began_us.setdefault(frame.item, begin_us)
            self._advance(now_us)

    def stepped(self, now_us: int, inputs: Sequence[Input], effects: Sequence[Effect]) -> None:
        if not self._open:
            return
        self._keep_log(now_us, inputs, effects)
        for given in inputs:
            self._input(given)
        for effect in effects:
            self._effect(now_us, effect)
        self._advance(now_us)

    def close(self, now_us: int) -> None:
        if not self._open:
            return
        self._agent.drop(now_us)
        self._agent.settle()
        self._flush(place(now_us))  # what is not known whole by now stays unheard
        self._end()

    def _end(self) -> None:
        self._open = False
        self._sound.close()
        os.close(self._rows)
        if self._log is not None:
            os.close(self._log)
        self._speaking, self._items = {}, {}

    # ---- what happened

    def _input(self, given: Input) -> None:
        match given:
            case events.SpeechStarted(utterance=name, onset_us=onset_us):
                self._speaking[name] = onset_us
            case events.SpeechStopped(utterance=name, offset_us=offset_us):
                self._ends[name] = offset_us
            case events.Words(_, name, text, end_us, final=True):
                onset_us = self._speaking.pop(name, end_us)
                offset_us = self._ends.pop(name, end_us)
                if self._redact and redacted(text, _LEAST_SPOKEN) == text:
                    self._let_through(onset_us - _MARGIN_US, offset_us + _MARGIN_US)
                self._row(onset_us, "speech", end_ms=offset_us // 1000, utterance=name, text=text)
            case events.Typed(t_us, text):
                self._row(t_us, "typed", text=text)
            case _:
                pass

    def _effect(self, now_us: int, effect: Effect) -> None:
        match effect:
            case events.Pause() if self._knows_pauses:
                self._agent.drop(now_us)
            case events.Stop():
                self._agent.drop(now_us)
            case events.Said():
                self._said(now_us, effect)
            case events.Decided(t_us, floor, answer, reason, utterance):
                self._row(t_us, "decided", floor=floor, answer=answer, reason=reason, utterance=utterance)
            case events.Chose(t_us, kind, reason, about):
                self._row(t_us, "chose", choice=kind, reason=reason, about=about)
            case events.StartTool(call=call):
                self._row(now_us, "tool", name=call.name, arguments=dumps(dict(call.arguments)))
            case events.Committed(item, utterances) if utterances:
                self._row(now_us, "turn", item=item, utterances=list(utterances), text=effect.text)
            case _:
                pass

    def _said(self, now_us: int, said: events.Said) -> None:
        begin = self._items.pop(said.item, None)
        self._agent.play(now_us)
        if begin is not None and self._redact and redacted(said.text, _LEAST_SPOKEN) != said.text:
            self._agent.settle()
            self._agent.silence(begin, self._agent.end)
        self._row(
            self._began_us.pop(said.item, now_us), "agent", end_ms=now_us // 1000, item=said.item, text=said.text,
            heard=said.text[: said.heard_chars], finish=said.finish,
        )  # fmt: skip

    def _row(self, t_us: int, what: str, **fields: Any) -> None:
        told = {"t_ms": t_us // 1000, "what": what, **fields}
        if self._redact:
            told |= {
                name: redacted(value, _LEAST_SPOKEN)
                for name, value in fields.items()
                if isinstance(value, str) and name not in ("item", "utterance")
            }
        self._write(self._rows, (dumps(told) + "\n").encode())

    def _keep_log(self, now_us: int, inputs: Sequence[Input], effects: Sequence[Effect]) -> None:
        """Everything but receipts, of which there are a hundred a second."""
        if self._log is None:
            return
        ordered = sorted(inputs, key=events.place)
        lines = [
            row(now_us, "in", each) for each in ordered if not isinstance(each, events.Sent | events.Played)
        ]
        lines += [row(now_us, "out", each) for each in effects if not isinstance(each, events.WakeAt)]
        if lines:
            self._write(self._log, b"".join(lines))

    def _write(self, fd: int, data: bytes) -> None:
        if not self._open:
            return
        try:
            if os.write(fd, data) != len(data):
                raise OSError("the disk is full")
        except OSError as error:
            self._give_up(f"the recording ends: {error.strerror or error}")

    # ---- sound

    def _let_through(self, begin_us: int, end_us: int) -> None:
        """The person's sound of this time may be written."""
        for at, from_us, until_us in self._pushes:
            first, last = max(begin_us, from_us), min(end_us, until_us)
            if first < last:
                self._clear.append((at + place(first - from_us), at + place(last - from_us)))

    def _advance(self, now_us: int) -> None:
        self._agent.play(now_us)
        waiting = [
            *(onset_us - 2 * _MARGIN_US for onset_us in self._speaking.values()),
            *(begin * 1_000_000 // RATE_HZ for begin in self._items.values()),
        ]
        settled_us = now_us - _SETTLED_US
        if self._redact:
            # Speech may begin a little before it is noticed to.
            settled_us = max(min([settled_us - 2 * _MARGIN_US, *waiting]), now_us - _LONGEST_WAIT_US)
        until = place(max(0, settled_us))
        if until - self._person.taken >= RATE_HZ // 2:
            self._flush(until)

    def _flush(self, until: int) -> None:
        if self._redact:
            self._keep_clear_only(until)
            for begin in self._items.values():  # not known whole
                self._agent.silence(begin, until)
        try:
            if until > self._person.taken:
                self._sound.add(self._person.take(until), self._agent.take(until))
        except DataError as error:
            self._give_up(f"the recording ends: {error}")

    def _keep_clear_only(self, until: int) -> None:
        at = self._person.taken
        for begin, end in sorted(self._clear):
            self._person.silence(at, min(begin, until))
            at = max(at, end)
        self._person.silence(at, until)
        self._clear = [(begin, end) for begin, end in self._clear if end > until]
        self._pushes = [push for push in self._pushes if push[0] + place(push[2] - push[1]) > until]

    def _give_up(self, why: str) -> None:
        if self._open:
            self._end()
            self._failed(why)


def _open_new(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _write_new(path: Path, text: str) -> None:
    fd = _open_new(path)
    try:
        os.write(fd, (text + "\n").encode())
    finally:
        os.close(fd)
