"""A session in ticks of 200 ms: who sounds, which words end, what is decided; for tick-wise full-duplex evaluation.

τ-bench drives full-duplex agents in such ticks, and shares the words of an utterance out over its sound. Here a
word belongs to the tick in which it ends. What the agent said is what was played, by the receipts in the log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from antiphon.realtime.engine.playback_log import ItemLog
from antiphon.text.script import HAN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from antiphon.realtime.simulation.recorded import LogRow
    from antiphon.realtime.simulation.simulate import Performed

TICK_US = 200_000
_WORD = re.compile(rf"[{HAN}]\W*|[^\s{HAN}]+\s*|\s+")  # with the signs and the space that follow it
_EDGES = {"Play": "play", "Pause": "pause", "Resume": "resume", "Stop": "stop", "Said": "said"}


@dataclass(frozen=True, slots=True)
class Side:
    """One side in one tick: for how long it sounds, the words that end, and who speaks (the agent: which item)."""

    ms: int = 0
    text: str = ""
    who: str | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """One decision of the turn policy."""

    t_ms: int
    floor: str
    answer: str
    reason: str
    utterance: str | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """200 ms of one session, from `t_ms` on. `user` is what people said where a script tells, else what the ears
    made of it; `heard` the recogniser's words that became known, `edges` what was done with the agent's sound
    (play, pause, resume, stop, said), `tools` the calls that began."""

    KIND: ClassVar[str] = "tick"
    V: ClassVar[int] = 1
    session: str
    tick: int
    t_ms: int
    user: Side = field(default_factory=Side)
    agent: Side = field(default_factory=Side)
    heard: str = ""
    decided: tuple[Ruling, ...] = ()
    edges: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class Heard(NamedTuple):
    """A word, or sound without one, from `start_us` to `end_us`."""

    start_us: int
    end_us: int
    text: str
    who: str | None


def ticks(session: str, rows: Iterable[LogRow], people: Iterable[Heard] | None = None) -> Iterator[Tick]:
    """A session's ticks from its log. `people` is what they really said (`said_in`); None: as they were heard."""
    log = list(rows)
    user = _shares(_observed(log) if people is None else people)
    agent = _shares(_played(log))
    last_us = max([row[0] for row in log], default=0)
    count = max([last_us // TICK_US, *user, *agent], default=0) + 1
    happened: dict[int, list[LogRow]] = {}
    for row in log:
        happened.setdefault(row[0] // TICK_US, []).append(row)
    for number in range(count):
        yield Tick(
            session, number, number * TICK_US // 1000, user.get(number, Side()), agent.get(number, Side()),
            *_moments(happened.get(number, [])),
        )  # fmt: skip


def said_in(done: Performed) -> list[Heard]:
    """Every word of a simulated session when it sounded."""
    speakers = {line.id: line.speaker for line in done.session.lines}
    return [
        Heard(span[0] + word.start_us, span[0] + word.end_us, word.text, speakers[line])
        for line, span in done.spans.items()
        if span is not None
        for stretch in done.said[line]
        for word in stretch.words
    ]


def _moments(rows: list[LogRow]) -> tuple[str, tuple[Ruling, ...], tuple[str, ...], tuple[str, ...]]:
    heard = [fields["text"] for _, way, name, fields in rows if (way, name) == ("in", "Words")]
    decided = tuple(
        Ruling(t_us // 1000, fields["floor"], fields["answer"], fields["reason"], fields["utterance"])
        for t_us, _, name, fields in rows
        if name == "Decided"
    )
    edges = tuple(_EDGES[name] for _, way, name, _ in rows if way == "out" and name in _EDGES)
    tools = tuple(fields["call"]["name"] for _, _, name, fields in rows if name == "StartTool")
    return heard[-1] if heard else "", decided, edges, tools


def _shares(sounds: Iterable[Heard]) -> dict[int, Side]:
    """Sound by tick. Two voices at once count once, and the later one names the tick."""
    found: dict[int, Side] = {}
    reached_us = 0
    for start_us, end_us, text, who in sorted(sounds):
        since_us = max(start_us, reached_us)
        reached_us = max(reached_us, end_us)
        for number in range(since_us // TICK_US, -(-end_us // TICK_US)):
            within_us = min(end_us, (number + 1) * TICK_US) - max(since_us, number * TICK_US)
            before = found.get(number, Side())
            found[number] = Side(before.ms + max(0, within_us), before.text, who)  # µs until the end
        number = max(0, end_us - 1) // TICK_US
        before = found.get(number, Side())
        found[number] = Side(before.ms, before.text + text, who)
    return {number: Side(round(side.ms / 1000), side.text, side.who) for number, side in found.items()}


def _observed(log: list[LogRow]) -> Iterator[Heard]:
    """Utterances as they were heard: the last words of each, shared out over its length."""
    onsets: dict[str, int] = {}
    offsets: dict[str, int] = {}
    words: dict[str, str] = {}
    who: dict[str, str | None] = {}
    for t_us, way, name, fields in log:
        if way != "in" or name not in ("SpeechStarted", "SpeechStopped", "SpeakerKnown", "Words"):
            continue
        utterance = fields["utterance"]
        if name == "SpeechStarted":
            onsets[utterance], who[utterance] = fields["onset_us"], fields["speaker"]
        elif name == "SpeechStopped":
            offsets[utterance] = fields["offset_us"]
        elif name == "SpeakerKnown":
            who[utterance] = fields["speaker"]
        else:
            words[utterance] = _apart(fields["text"])
            offsets.setdefault(utterance, t_us)
    for utterance, onset_us in onsets.items():
        end_us = max(onset_us, offsets.get(utterance, log[-1][0]))
        yield from _shared_out(words.get(utterance, ""), onset_us, end_us, who[utterance])


def _apart(text: str) -> str:
    """The words, so that others may follow. Han needs no space between."""
    return f"{text} " if text and text[-1].isascii() else text


def _shared_out(text: str, start_us: int, end_us: int, who: str | None) -> Iterator[Heard]:
    parts = _WORD.findall(text) or [""]
    total, at = sum(max(1, len(part.strip())) for part in parts), 0
    for part in parts:
        begin_us = start_us + (end_us - start_us) * at // total
        at += max(1, len(part.strip()))
        yield Heard(begin_us, start_us + (end_us - start_us) * at // total, part, who)


@dataclass(slots=True)
class _Playing:
    """The item that sounds, and how far it was at the last receipt."""

    item: str | None = None
    ms: int = 0
    at_us: int = 0


def _played(log: list[LogRow]) -> Iterator[Heard]:
    """The agent's words when they were heard. Between two receipts sound stands at the end: gaps come first."""
    items = _items(log)
    playing = _Playing()
    for t_us, _, name, fields in log:
        if name == "Play" and fields["item"] != playing.item:
            playing = _Playing(fields["item"], 0, t_us)
        elif name == "Resume":
            playing = _Playing(fields["item"], fields["from_ms"], t_us)
        elif name in ("Played", "Stop", "Said") and fields["item"] == playing.item:
            ms = fields["ms"] if name == "Played" else fields["heard_ms"]
            if ms > playing.ms and (known := items.get(fields["item"])) is not None:
                yield from _words_between(known, playing, ms, t_us)
                playing = _Playing(playing.item, ms, t_us)
            if name == "Said":
                playing = _Playing()


def _words_between(known: ItemLog, before: _Playing, ms: int, t_us: int) -> Iterator[Heard]:
    start_us = max(before.at_us, t_us - (ms - before.ms) * 1000)
    text = known.text[_spoken(known, before.ms) : _spoken(known, ms)]
    yield from _shared_out(text, start_us, t_us, before.item)


def _spoken(known: ItemLog, ms: int) -> int:
    """How many characters have sounded, with the signs after the last word."""
    at = known.chars_at(ms)
    while 0 < at < len(known.text) and not known.text[at].isalnum():
        at += 1
    return at


def _items(log: list[LogRow]) -> dict[str, ItemLog]:
    """What was written for each item, and how long it sounds."""
    items: dict[str, ItemLog] = {}
    clauses: dict[str, str] = {}
    for _, _, name, fields in log:
        if name == "Render":
            clauses[fields["id"]] = fields["item"]
            items.setdefault(fields["item"], ItemLog()).text += fields["text"]
        elif name == "Rendered" and fields["id"] in clauses:
            items[clauses[fields["id"]]].made(fields["ms"], fields["chars"])
    return items


def as_tau(tick: Tick) -> dict[str, Any]:
    """The tick with the names of τ²-bench's full-duplex trajectories (`Tick`): one chunk a side, the words in
    proportion. Its timestamps are dates; ours count from the session's beginning."""

    def chunk(role: str, side: Side) -> dict[str, Any]:
        return {
            "role": role, "content": side.text, "contains_speech": side.ms > 0, "is_audio": False,
            "chunk_id": tick.tick, "is_final_chunk": True, "utterance_ids": [side.who] if side.who else None,
        }  # fmt: skip

    return {
        "tick_id": tick.tick,
        "timestamp": f"{tick.t_ms / 1000:.3f}",
        "tick_duration_seconds": TICK_US / 1e6,
        "agent_chunk": chunk("assistant", tick.agent),
        "user_chunk": chunk("user", tick.user),
        "user_transcript": tick.heard or None,
    }
