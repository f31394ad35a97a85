"""A set performed in virtual time and judged: rates over sessions and points, each with its counts."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antiphon.errors import ConfigError, unknown
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.sets.fdb_like import SIZE, fdb_like
from antiphon.realtime.sets.judge import judge
from antiphon.realtime.sets.multi_party import multi_party
from antiphon.realtime.sets.phrases import OURS, read
from antiphon.realtime.sets.semantic_control import semantic_control
from antiphon.realtime.simulation.oracle import Oracle
from antiphon.realtime.simulation.simulate import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from antiphon.realtime.sets.judge import Judged
    from antiphon.realtime.sets.phrases import Book
    from antiphon.realtime.sets.script import Scripted
    from antiphon.realtime.simulation.ears import Ears
    from antiphon.realtime.simulation.simulate import Performed, Session
    from antiphon.realtime.turn_policy import TurnPolicy

SETS: dict[str, tuple[Callable[[int, int, Book], Scripted], int]] = {
    "multi-party": (multi_party, 100),
    "semantic-control": (semantic_control, 100),
    "fdb-like": (fdb_like, SIZE),
}
EARS = ("oracle", "noisy", "real")
BEHAVIOURS = ("respond", "resume", "uncertain", "unknown")


@dataclass(frozen=True, slots=True)
class Config:
    """What to perform. `sessions` None: the set's own number. `error`: how often noisy ears err."""

    set: str
    sessions: int | None = None
    seed: int = 0
    observations: str = "oracle"
    error: float = 0.05
    policy: str = "default"
    phrases: Path | None = None  # a file or folder with phrases of your own


@dataclass(frozen=True, slots=True)
class Outcome:
    """One session, performed and judged."""

    scripted: Scripted
    performed: Performed
    judged: tuple[Judged, ...]

    @property
    def passed(self) -> bool | None:
        """Whether all judgeable points passed; None where there is none."""
        known = [each.passed for each in self.judged if each.passed is not None]
        return all(known) if known else None


def book_of(config: Config) -> Book:
    """The phrases that a set is written with. Raises ConfigError, DataError."""
    return OURS if config.phrases is None else read(config.phrases)


def scripts(config: Config) -> list[Scripted]:
    """The sessions of a set. Raises ConfigError for an unknown set or a number below 1."""
    if config.set not in SETS:
        raise unknown("set", config.set, SETS)
    make, size = SETS[config.set]
    count = size if config.sessions is None else config.sessions
    if count < 1:
        raise ConfigError(f"--sessions {count}: at least 1; {config.set} has {size} of its own")
    book = book_of(config)
    return [make(number, config.seed, book) for number in range(count)]


def perform(
    config: Config,
    hearing: Callable[[Session], Ears] | None = None,
    adapt: Callable[[TurnPolicy], TurnPolicy] | None = None,
) -> Iterator[Outcome]:
    """Sessions one after the other; real observations need `hearing`, the ears of a session (`real_ears`), and
    may need a policy that is adapted to them.

    Raises ConfigError for an unknown policy or kind of observation.
    """
    play = player(config, hearing, adapt)
    yield from map(play, scripts(config))


def player(
    config: Config,
    hearing: Callable[[Session], Ears] | None = None,
    adapt: Callable[[TurnPolicy], TurnPolicy] | None = None,
) -> Callable[[Scripted], Outcome]:
    """What performs and judges one session; see `perform`. Raises ConfigError."""
    if config.observations not in EARS:
        raise unknown("kind of observations", config.observations, EARS)
    if config.observations == "real" and hearing is None:
        raise ConfigError("real observations need ears: wiring.simulate.perform_real has them")
    policy = policy_named(config.policy)
    if policy.name == "semantic":
        raise ConfigError(
            "the turn policy semantic asks a chat model, and the people here talk to a scripted one; antiphon serve --policy semantic"
        )
    policy = policy if adapt is None else adapt(policy)
    oracle = Oracle(config.error if config.observations == "noisy" else 0.0, config.seed)

    def play(scripted: Scripted) -> Outcome:
        ears = oracle if hearing is None else hearing(scripted.session)
        done = Simulation(scripted.session, policy, ears, config.seed).run()
        return Outcome(scripted, done, tuple(judge(scripted, done)))

    return play


def report(config: Config, outcomes: list[Outcome]) -> dict[str, Any]:
    """The figures as one JSON object. A rate without cases is None."""
    points = [each for outcome in outcomes for each in outcome.judged]
    valid = [each for each in points if each.passed is not None]
    sessions = [outcome.passed for outcome in outcomes if outcome.passed is not None]
    digest = hashlib.sha256()
    for outcome in outcomes:
        for line in outcome.performed.log:
            digest.update(line + b"\n")
    return {
        "set": config.set,
        "scripted": True,
        "seed": config.seed,
        "policy": config.policy,
        "phrases": book_of(config).described(),
        "observations": config.observations,
        "error": config.error if config.observations == "noisy" else 0.0,
        "session_level": _rate(sum(sessions), len(sessions)),
        "point_level": _rate(sum(bool(each.passed) for each in valid), len(valid))
        | {"unjudgeable": len(points) - len(valid)},
        "tasks": {task: _task(task, valid) for task in sorted({each.point.task for each in points})},
        "virtual_s": round(sum(outcome.performed.end_us for outcome in outcomes) / 1e6, 3),
        "event_log_sha256": digest.hexdigest(),
    }


def _rate(passed: int, n: int) -> dict[str, Any]:
    return {"rate": round(passed / n, 4) if n else None, "passed": passed, "n": n}


def _task(task: str, valid: list[Judged]) -> dict[str, Any]:
    own = [each for each in valid if each.point.task == task]
    did = Counter(each.did for each in own)
    counts = {
        name: {"rate": round(did[name] / len(own), 4) if own else None, "n": did[name]} for name in BEHAVIOURS
    }
    return _rate(sum(bool(each.passed) for each in own), len(own)) | counts
