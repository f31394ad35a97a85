"""A session on disk: a header, then every input and effect in order; and the session again under another policy.

A row is `[t_us, "in" or "out", name, fields]`, as in the event log whose hash a simulation prints.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from antiphon.errors import DataError
from antiphon.jsonl import dumps, write_bytes
from antiphon.realtime import events
from antiphon.realtime.settings import Settings
from antiphon.realtime.simulation.oracle import Oracle
from antiphon.realtime.simulation.simulate import Session, Simulation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from antiphon.realtime.events import Effect, Input
    from antiphon.realtime.turn_policy import TurnPolicy

KIND = "realtime-session"
LogRow = tuple[int, str, str, dict[str, Any]]  # t_us, "in" or "out", name, fields
_OBSERVED: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        events.SpeechStarted, events.SpeechStopped, events.SpeakerKnown, events.Words, events.Score, events.Typed,
        events.Asked, events.Cancelled, events.Confirmed, events.Background,
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header:
    """What a session was played with. `times` are those of its policy, microseconds: a server's are not the defaults."""

    session: str
    policy: str
    seed: int
    names: tuple[str, ...] = ()
    serves: str = "enrolled"
    scripted: bool = False
    times: dict[str, int] = field(default_factory=dict[str, int])
    kind: str = KIND
    v: int = 1


@dataclass(frozen=True, slots=True)
class Recorded:
    """A session as it was read. `decided`: each utterance's last decision."""

    header: Header
    inputs: tuple[Input, ...]
    words: dict[str, str]
    answers: dict[str, str]
    decided: dict[str, dict[str, Any]]


def times(policy: TurnPolicy) -> dict[str, int]:
    """A policy's times by name, and those of the policy that it falls back on; none where it is no dataclass."""
    found: dict[str, int] = {}
    if is_dataclass(policy):
        within = getattr(policy, "otherwise", None)
        found = times(within) if within is not None else {}
        found |= {
            each.name: getattr(policy, each.name) for each in fields(policy) if each.name.endswith("_us")
        }
    return found


def timed(policy: TurnPolicy, known: Mapping[str, int]) -> TurnPolicy:
    """The policy with these times, where it has them."""
    if not is_dataclass(policy):
        return policy
    own = [each.name for each in fields(policy) if each.name.endswith("_us")]
    changed: dict[str, Any] = {name: known[name] for name in own if name in known}
    if (within := getattr(policy, "otherwise", None)) is not None:
        changed["otherwise"] = timed(within, known)
    return replace(policy, **changed)


def write(path: Path, header: Header, log: Sequence[bytes]) -> None:
    """Keep a session, all or nothing. Raises DataError when the disk refuses."""
    write_bytes(path, b"".join([head(header), *(line + b"\n" for line in log)]))


def row(t_us: int, way: Literal["in", "out"], what: Input | Effect) -> bytes:
    """One input or effect of a live session, as a line of its log."""
    return msgspec.json.encode([t_us, way, type(what).__name__, what]) + b"\n"


def head(header: Header) -> bytes:
    """The first line of a log."""
    return dumps(msgspec.to_builtins(header)).encode() + b"\n"


def rows(path: Path) -> tuple[Header, list[LogRow]]:
    """A session as it stands in its file; an unfinished last line is dropped. Raises DataError that names file and line."""
    try:
        whole, end, _ = path.read_bytes().rpartition(b"\n")  # a torn last line: the server died inside it
        lines = (whole + end).splitlines()
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror or error})") from error
    header = _header(path, lines[0] if lines else b"")
    return header, [_row(path, number, line) for number, line in enumerate(lines[1:], start=2)]


def rows_of(log: Sequence[bytes]) -> list[LogRow]:
    """The same of a log in memory."""
    return [msgspec.json.decode(line, type=LogRow) for line in log]


def read(path: Path) -> Recorded:
    """Raises DataError that names file and line."""
    header, log = rows(path)
    inputs: list[Input] = []
    words: dict[str, str] = {}
    answers: dict[str, str] = {}
    decided: dict[str, dict[str, Any]] = {}
    asked: dict[str, list[str]] = {}
    for number, (t_us, way, name, told) in enumerate(log, start=2):
        if way == "in" and name in _OBSERVED:
            inputs.append(_input(path, number, name, told))
        if name == "Words":
            words[told["utterance"]] = told["text"]
        elif name == "StartAnswer":
            asked[told["id"]] = told["utterances"]
        elif name == "AnswerText":
            for utterance in asked.get(told["id"], []):
                answers[utterance] = answers.get(utterance, "") + told["text"]
        elif name == "Decided":
            decided[told["utterance"] or ""] = {"t_us": t_us, **told}
    return Recorded(header, tuple(inputs), words, answers, decided)


def _header(path: Path, line: bytes) -> Header:
    try:
        header = msgspec.json.decode(line, type=Header)
    except msgspec.MsgspecError as error:
        raise DataError(path, f"is no recorded session: {error}", line=1) from None
    if header.kind != KIND or header.v != 1:
        raise DataError(path, f"is {header.kind!r} version {header.v}, not {KIND!r} version 1", line=1)
    return header


def _row(path: Path, number: int, line: bytes) -> LogRow:
    try:
        return msgspec.json.decode(line, type=LogRow)
    except msgspec.MsgspecError as error:
        raise DataError(path, f"no row of an event log: {error}", line=number) from None


def _input(path: Path, number: int, name: str, told: dict[str, Any]) -> Input:
    try:
        return msgspec.convert(told, _OBSERVED[name])
    except msgspec.ValidationError as error:
        raise DataError(path, str(error), line=number, field=name) from None


def played(recorded: Recorded, policy: TurnPolicy) -> list[bytes]:
    """The log of what was observed, once more, under another policy, with the recorded one's times where it has such.

    The scripted model says what was said; an utterance that had no answer then gets a placeholder.
    """
    header = recorded.header
    settings = Settings(header.names, "anyone" if header.serves == "anyone" else "enrolled")
    answers = {"": "There was no answer in the recording.", **recorded.answers}
    session = Session(header.session, "", (), settings, answers)
    policy = timed(policy, header.times)
    return Simulation(session, policy, Oracle(), header.seed, inputs=recorded.inputs).run().log


def replay(recorded: Recorded, policy: TurnPolicy) -> dict[str, Any]:
    """A session once more (`played`), and where the last decisions on an utterance differ."""
    header = recorded.header
    again: dict[str, dict[str, Any]] = {}
    for t_us, _, name, told in rows_of(played(recorded, policy)):
        if name == "Decided":
            again[told["utterance"] or ""] = {"t_us": t_us, **told}
    differ = [
        {
            "utterance": name,
            "text": recorded.words.get(name, ""),
            "recorded": _brief(recorded.decided.get(name)),
            "replayed": _brief(again.get(name)),
        }
        for name in sorted({*recorded.decided, *again})
        if _what(recorded.decided.get(name)) != _what(again.get(name))
    ]
    return {
        "session": header.session,
        "recorded_policy": header.policy,
        "replayed_policy": policy.name,
        "scripted": True,
        "utterances": len({*recorded.decided, *again}),
        "differences": differ,
    }


def _what(decided: dict[str, Any] | None) -> tuple[str, str] | None:
    return None if decided is None else (decided["floor"], decided["answer"])


def _brief(decided: dict[str, Any] | None) -> dict[str, Any] | None:
    if decided is None:
        return None
    return {name: decided[name] for name in ("t_us", "floor", "answer", "reason")}
