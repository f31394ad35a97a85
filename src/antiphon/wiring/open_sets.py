"""The open sets as a suite: realtime writes and performs the sessions, bench keeps, scores and shows their points.

`antiphon realtime simulate` performs the same sessions with the same code; the same seed gives the same figures.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import msgspec

from antiphon.bench.items import Item
from antiphon.bench.suite import Suite
from antiphon.bench.suites.full_duplex import open_sets
from antiphon.bench.suites.full_duplex.subsets import OPEN
from antiphon.bench.suites.full_duplex.suite import NAME, metrics
from antiphon.bench.takes import Met, Said, Take
from antiphon.bench.theatre import Theatre
from antiphon.clock import RealClock
from antiphon.errors import ConfigError, unknown
from antiphon.jsonl import to_row
from antiphon.models.cascade import part_uri
from antiphon.models.catalog import open_synthesizer, open_transcriber
from antiphon.models.uri import parse
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.sets.run import EARS, SETS, Config, book_of, player, scripts
from antiphon.realtime.simulation.recorded import Header, head
from antiphon.stage.outcome import Made
from antiphon.wiring.serve import patient
from antiphon.wiring.simulate import Sound, Studio

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from pathlib import Path

    from antiphon.bench.perform import Performance
    from antiphon.bench.suite import Selection
    from antiphon.clock import Clock
    from antiphon.realtime.sets.run import Outcome
    from antiphon.realtime.sets.script import Scripted

SYSTEM = "engine:"
_SOUND = {field.name: str(field.type) for field in fields(Sound)}  # option of the URI → its type


def open_suite(chosen: Selection, seed: int) -> Suite:
    """The points of the sessions that are written from `seed`; `--data` names phrases of your own.

    Raises ConfigError for an unknown subset, DataError for what can be no phrase.
    """
    known = [*open_sets.SETS, *open_sets.SETS["fdb-like"]]
    for name in chosen.subsets:
        if name not in known:
            raise unknown("subset", name, known, f"{NAME} {OPEN} has no other")
    items: list[Item] = []
    for name, subsets in open_sets.SETS.items():
        if chosen.subsets and not {name, *subsets} & set(chosen.subsets):
            continue
        config = Config(name, seed=seed, phrases=chosen.data)
        items += [
            item
            for number, scripted in enumerate(scripts(config))
            for item in _items(name, number, scripted)
            if not chosen.subsets or {name, item.subset} & set(chosen.subsets)
        ]
    return Suite(
        f"{NAME}-{OPEN}", tuple(items), metrics(OPEN), f"{NAME}:{OPEN}", transcriber="", virtual=True
    )


def _items(set_: str, number: int, scripted: Scripted) -> list[Item]:
    """A session's points; the question is what is said there, the history what was said before."""
    session, points = scripted.session, scripted.points
    lines = {line.id: line for line in session.lines}
    return [
        Item(
            f"{session.id}/{place}",
            _subset(set_, point.task),
            lines[point.line].language,
            lines[point.line].text,
            category=point.task,
            source="scripted",
            cluster=session.id,
            extra={
                "set": set_, "number": number, "line": point.line, "speaker": lines[point.line].speaker,
                "cue": lines[point.line].cue, "expect": point.expect, "points": len(points),
            },
        )
        for place, point in enumerate(points)
    ]  # fmt: skip


def _subset(set_: str, task: str) -> str:
    return set_ if set_ != "fdb-like" else task.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Virtual:
    """The engine under one policy, with ears of one kind. `sound` None: nothing is synthesized or recognised."""

    policy: str
    observations: str
    error: float
    sound: Sound | None
    name: str


def theatre(phrases: Path | None = None) -> Theatre:
    """Where the open sets are performed, with phrases of your own where they are named."""
    return Theatre(partial(open_virtual, phrases), partial(_open_stage, phrases))


def open_virtual(phrases: Path | None, text: str, clock: Clock) -> Virtual:
    """`engine:?policy=default&observations=oracle|noisy|real`, with `error` for noisy ears; for real ones the options
    of `antiphon realtime simulate`: `synthesizer`, `transcriber`, `vad`, `voices` (`en=a,b;zh=c`) and the others.

    Raises ConfigError, UnavailableError.
    """
    uri = parse(text)
    if uri.scheme != "engine" or uri.path:
        raise ConfigError(
            f"{text}: the open sets are sessions of our engine, the model's words scripted; write "
            "engine:?policy=default&observations=oracle"
        )
    given = uri.only("policy", "observations", "error", *_SOUND).options
    policy, observations = given.get("policy", "default"), given.get("observations", "oracle")
    if observations not in EARS:
        raise unknown("kind of observations", observations, EARS)
    if policy_named(policy).name == "semantic":
        raise ConfigError(
            f"{text}: the turn policy semantic asks a chat model, and the model here is scripted"
        )
    error = _number(text, "error", given.get("error", "0.05"))
    if not 0 <= error <= 1 or ("error" in given and observations != "noisy"):
        raise ConfigError(f"{text}: error is a share from 0 to 1, and only of observations=noisy")
    sound = _sound(text, {name: value for name, value in given.items() if name in _SOUND}, observations)
    parts = [
        f"policy {policy}",
        f"observations {observations}{f' {error:g}' if observations == 'noisy' else ''}",
    ]
    if sound is not None:
        names = (
            open_synthesizer(sound.synthesizer or part_uri("", "synthesizer"), clock).name,
            open_transcriber(sound.transcriber or part_uri("", "transcriber"), clock).name,
        )
        others = {name: getattr(sound, name) for name in _SOUND if name not in ("synthesizer", "transcriber")}
        parts += [
            *names,
            *(f"{name} {_text(value)}" for name, value in others.items() if value not in ((), False)),
        ]
    book = book_of(Config("fdb-like", phrases=phrases))
    parts.append("our phrases" if book.sha256 is None else f"phrases {book.sha256[:12]}")
    return Virtual(
        policy, observations, error, sound, f"scripted: engine in virtual time, {', '.join(parts)}"
    )


def _sound(text: str, given: dict[str, str], observations: str) -> Sound | None:
    if observations != "real":
        if given:
            raise ConfigError(f"{text}: {', '.join(given)}: only with observations=real, not {observations}")
        return None
    made: dict[str, Any] = dict(given)
    for name in ("rate", "room_db"):
        if name in made:
            made[name] = _number(text, name, given[name])
    if "voices" in made:
        made["voices"] = tuple(given["voices"].split(";"))
    if "tell_language" in made:
        made["tell_language"] = given["tell_language"] not in ("", "0", "false")
    return Sound(**made)


def _text(value: object) -> str:
    return "; ".join(map(str, cast("tuple[object, ...]", value))) if isinstance(value, tuple) else str(value)


def _number(text: str, name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ConfigError(f"{text}: {name} must be a number, not {value!r}") from None


@asynccontextmanager
async def _open_stage(phrases: Path | None, how: Performance, folder: Path) -> AsyncGenerator[Stage, None]:
    """A worker that performs points. Sound is made and heard in a thread of its own, which has its own loop."""
    system = open_virtual(phrases, how.system, RealClock())
    with ThreadPoolExecutor(1) as thread:
        loop = asyncio.get_running_loop()
        stage = Stage(system, how.seed, phrases, thread)
        await loop.run_in_executor(thread, stage.open)
        try:
            yield stage
        finally:
            await loop.run_in_executor(thread, stage.close)


class Stage:
    """Performs a session once for all of its points that come one after the other."""

    def __init__(self, system: Virtual, seed: int, phrases: Path | None, thread: ThreadPoolExecutor) -> None:
        self._system, self._seed, self._phrases, self._thread = system, seed, phrases, thread
        self._last: tuple[str, Outcome] | None = None
        self._runner: asyncio.Runner | None = None
        self._studio: Studio | None = None

    def open(self) -> None:
        """Open the models; in the thread that performs. Raises ConfigError, UnavailableError."""
        if self._system.sound is not None:
            self._runner = asyncio.Runner()
            self._studio = Studio(self._system.sound, self._seed, RealClock())

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()

    async def __call__(self, items: Sequence[Item]) -> list[Made]:
        loop = asyncio.get_running_loop()
        return [await loop.run_in_executor(self._thread, self._one, item) for item in items]

    def _one(self, item: Item) -> Made:
        session = str(item.cluster)
        if self._last is None or self._last[0] != session:
            self._last = session, self._perform(item.extra["set"], item.extra["number"])
        return _made(item, self._last[1], self._system, self._seed)

    def _perform(self, set_: str, number: int) -> Outcome:
        system = self._system
        config = Config(
            set_, None, self._seed, system.observations, system.error, system.policy, self._phrases
        )
        scripted = SETS[set_][0](number, self._seed, book_of(config))
        if self._studio is None or self._runner is None:
            return player(config)(scripted)
        return player(config, partial(self._studio.hearing, self._runner.run), patient)(scripted)


def _made(item: Item, outcome: Outcome, system: Virtual, seed: int) -> Made:
    """The take of one point, and its session's event log. A line that was heard has its length."""
    session, done = outcome.scripted.session, outcome.performed
    judged = next(each for each in outcome.judged if each.point.line == item.extra["line"])
    start_us, end_us = done.spans.get(judged.point.line) or (None, None)
    log = f"sessions/{session.id}.jsonl"
    met = Met(
        session.id, judged.point.line, judged.did, judged.passed, judged.reason, start_us, end_us,
        _decided(outcome, judged.point.line), log,
    )  # fmt: skip
    heard_s = 0.0 if system.sound is None or start_us is None or end_us is None else (end_us - start_us) / 1e6
    take = Take(
        item.id, item.subset, None, heard_s, (Said("", None, 0.0, "stop", None),), met=met,
        meta={"machine": "scripted", "language": item.language},
    )  # fmt: skip
    header = Header(session.id, system.policy, seed, session.settings.names, scripted=True)
    return Made(to_row(take), {log: b"".join([head(header), *(line + b"\n" for line in done.log)])})


def _decided(outcome: Outcome, line: str) -> str:
    """The last decision on an utterance that has the line in it, and why."""
    utterances = {name for name, (lines, _) in outcome.performed.heard.items() if line in lines}
    last = ""
    for row in outcome.performed.log:
        if b'"Decided"' in row:
            _, _, name, said = msgspec.json.decode(row)
            if name == "Decided" and said["utterance"] in utterances:
                last = f"{said['floor']}, {said['answer']}: {said['reason']}"
    return last
