"""What the agent did at each point of a performed session, from its sound alone, and whether that was right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from antiphon.realtime.sets.script import Point, Scripted
    from antiphon.realtime.simulation.simulate import Performed, Sounding

# The four behaviours of Full-Duplex-Bench v1.5.
Did = Literal["respond", "resume", "uncertain", "unknown"]
WINDOW_US = 5_000_000  # how long after the line the agent's behaviour is looked at
QUIET_US = 1_000_000  # how soon after "stop" the agent has to be silent
LEFT_US = 1_000_000  # an answer that had less than this left could not have gone on


@dataclass(frozen=True, slots=True)
class Judged:
    """One point. `passed` None: unjudgeable, and `reason` says why."""

    session: str
    point: Point
    did: Did
    passed: bool | None
    reason: str = ""


def judge(scripted: Scripted, done: Performed) -> list[Judged]:
    """All points of one session."""
    return [_judge(point, scripted, done) for point in scripted.points]


def _judge(point: Point, scripted: Scripted, done: Performed) -> Judged:
    session = scripted.session.id
    span = done.spans.get(point.line)
    if span is None and not done.sounds:
        return Judged(session, point, "unknown", False, "the agent never spoke")
    if span is None:
        return Judged(session, point, "unknown", None, "its moment did not come")
    start_us, end_us = span
    until_us = _until(point.line, done, end_us)
    before = [sound for sound in done.sounds if sound.start_us <= start_us < sound.end_us]
    times = start_us, end_us, until_us
    did = _did(done.sounds, times)
    cue = next(line.cue for line in scripted.session.lines if line.id == point.line)
    if cue == "over" and not before:
        return Judged(session, point, did, None, "the agent was not speaking")
    goes_on = bool(before) and not _nearly_over(before[-1], done, start_us, end_us)
    passed = {
        "respond": _answers(point.line, done.sounds, times),
        "ignore": did == "resume" or (did == "unknown" and not goes_on),
        "quiet": did != "respond" and not _sounds(done.sounds, end_us + QUIET_US, until_us),
        "resume": did == "resume",
    }[point.expect]
    return Judged(session, point, did, passed)


def _until(line: str, done: Performed, end_us: int) -> int:
    """The end of the window: what comes after the next line begins may belong to that."""
    later = [span[0] for name, span in done.spans.items() if span and span[0] >= end_us and name != line]
    return min([*later, end_us + WINDOW_US])


def _did(sounds: list[Sounding], times: tuple[int, int, int]) -> Did:
    """Respond: a new answer began. Resume: what had begun before sounds after the line. Unknown: neither."""
    start_us, end_us, until_us = times
    if any(start_us < sound.start_us <= until_us and _new(sound, sounds) for sound in sounds):
        return "respond"
    return "resume" if _sounds(sounds, end_us, until_us) else "unknown"


def _answers(line: str, sounds: list[Sounding], times: tuple[int, int, int]) -> bool:
    """Whether what began is an answer to this very line."""
    return any(
        times[0] < sound.start_us <= times[2] and any(name.split(".")[0] == line for name in sound.answers)
        for sound in sounds
    )


def _new(sound: Sounding, sounds: list[Sounding]) -> bool:
    """Whether its item begins here: after a pause it has sounded before, and a rest was begun in another."""
    return not sound.rest and not any(
        each.item == sound.item and each.start_us < sound.start_us for each in sounds
    )


def _sounds(sounds: list[Sounding], from_us: int, to_us: int) -> bool:
    return any(sound.start_us < to_us and sound.end_us > from_us for sound in sounds)


def _nearly_over(before: Sounding, done: Performed, start_us: int, end_us: int) -> bool:
    """Whether so little was left to say that going on cannot be told from ending."""
    played_us = sum(
        min(sound.end_us, start_us) - sound.start_us
        for sound in done.sounds
        if sound.item == before.item and sound.start_us < start_us
    )
    return done.lengths_us.get(before.item, 0) - played_us < end_us - start_us + LEFT_US
