"""Continuations of a kept run: from every milestone, or from the first wrong reply of every failure, resumable.

The result is a run folder like any other; its episodes go on from moments of the kept ones, and `envs reward`
compares those that go on from the same moment.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from antiphon import __version__
from antiphon.audio.files import decode, encode
from antiphon.envs.casting import Cast, Casting
from antiphon.envs.continuations import go_on, moment_before
from antiphon.envs.decisions import decisions
from antiphon.envs.milestones import reached
from antiphon.envs.reward import turn_reward
from antiphon.envs.rollout import RolloutSettings
from antiphon.envs.run import EnvFolder, EnvManifest, clip_name
from antiphon.envs.scoring import domain_of, read_verdicts
from antiphon.envs.terms import terms_of
from antiphon.errors import ConfigError, DataError
from antiphon.ids import hash_json, seed_for
from antiphon.jsonl import to_row, write_rows
from antiphon.models.ports import is_scripted
from antiphon.stage.folder import lock
from antiphon.stage.map import Settings, map_records
from antiphon.stage.outcome import Failed, Made
from antiphon.stage.progress import Silent

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Sequence
    from pathlib import Path

    from antiphon.audio.clip import Clip
    from antiphon.envs.domain import Domain
    from antiphon.envs.terms import Terms
    from antiphon.envs.verdict import Verdict
    from antiphon.stage.map import Finished
    from antiphon.stage.outcome import Outcome
    from antiphon.stage.progress import Progress
    from antiphon.trace import Trace

Where = Literal["milestones", "failures"]
_NOBODY = Silent()


@dataclass(frozen=True, slots=True)
class ContinueRun:
    """What to continue. `where` "milestones": before the reply after each milestone; "failures": before the first
    reply of each failed episode that was wrong. `system` None is the one that played, `temperature` None what it
    drew with: at 0 most models go on alike, and their rewards tell nothing."""

    source: Path
    out: Path
    where: Where = "milestones"
    count: int = 4
    seed: int = 0
    system: str | None = None
    temperature: float | None = None
    how: Settings = field(default_factory=Settings)
    resume: bool = False

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ConfigError(f"{self.count} continuations of each moment: at least 1")
        if self.out.resolve() == self.source.resolve():
            raise ConfigError(f"{self.out} is the run to go on from; choose another --out")


@dataclass(frozen=True, slots=True)
class Start:
    """One continuation to play: it goes on from before `step` of the kept episode `origin`; `trial` numbers the
    continuations of a task."""

    task: str
    version: str
    origin: int
    step: int
    trial: int

    @property
    def key(self) -> str:
        """Its name for good."""
        return f"{self.task}@{self.version} from {self.origin}:{self.step} {self.trial}"


async def continue_run(run: ContinueRun, progress: Progress = _NOBODY) -> Finished:
    """Play every continuation that has no trace yet.

    Raises ConfigError for a source that is not scored, was played by a partner that may not answer alike, or
    holds no such moment, and for an `out` that holds a run already unless it is to be resumed.
    """
    source, folder = EnvFolder(run.source), EnvFolder(run.out)
    manifest = source.read_manifest()
    if not is_scripted(manifest.partner):
        raise ConfigError(
            f"{run.source} was played against {manifest.partner}, which may not answer alike; only episodes with a "
            "scripted partner can be brought back to a moment"
        )
    if folder.manifest.exists() and not run.resume:
        raise ConfigError(f"{run.out} holds a run already; add --resume to go on, or choose another --out")
    domain = domain_of(source)
    traces, _ = source.read_traces()
    starts = list(_starts(run, domain, traces, read_verdicts(run.source)))
    if not starts:
        raise ConfigError(f"{run.source} has nothing to continue from {run.where}")
    cast = _cast(run, domain, manifest)
    system = cast.check(domain.task(starts[0].task))[0]
    fingerprint = {
        "domain": domain.version, "system": system, "partner": manifest.partner, "seed": run.seed,
        "settings": _played(run, manifest), "traces": hash_json([to_row(each) for each in traces]),
    }  # fmt: skip
    with lock(run.out):
        _write_manifest(run, folder, manifest, system, cast, len({each.task for each in starts}))
        return await map_records(
            starts, partial(_open_player, run), key=_key, fingerprint=fingerprint, out=folder.traces,
            settings=run.how, progress=progress,
        )  # fmt: skip


def _starts(
    run: ContinueRun, domain: Domain, traces: Sequence[Trace], verdicts: Sequence[Verdict]
) -> Iterator[Start]:
    """Every continuation, numbered by task."""
    passed = {(each.task, each.trial): each.passed for each in verdicts}
    terms: dict[str, Terms] = {}
    numbers: dict[str, int] = {}
    for trace in traces:
        verdict = passed.get((trace.task, trace.trial))
        if verdict is None or (run.where == "failures" and verdict):
            continue
        if trace.task not in terms:
            terms[trace.task] = terms_of(domain, domain.task(trace.task))
        of = terms[trace.task]
        steps = _milestones(of, trace) if run.where == "milestones" else _mistake(of, trace)
        for step in steps:
            for _ in range(run.count):
                number = numbers[trace.task] = numbers.get(trace.task, -1) + 1
                yield Start(trace.task, of.task.version, trace.trial, step, number)


def _milestones(terms: Terms, trace: Trace) -> list[int]:
    """Where the reply after each milestone begins."""
    begins = [each.begin for each in decisions(trace)]
    after = (
        next((step for step in begins if step > at), None) for at in reached(terms.milestones, trace.steps)
    )
    return [step for step in dict.fromkeys(after) if step is not None]


def _mistake(terms: Terms, trace: Trace) -> list[int]:
    """Where the first reply begins that was not worth 1; the last reply where each was."""
    replies = decisions(trace)
    wrong = (each.begin for each in replies if turn_reward(terms, trace, each).value != 1.0)
    return [next(wrong, replies[-1].begin)] if replies else []


def _cast(run: ContinueRun, domain: Domain, manifest: EnvManifest) -> Cast:
    settings = manifest.settings
    casting = Casting(
        run.system or manifest.system_uri, manifest.partner_uri, manifest.speech or None,
        tuple(settings.get("noise", ())), bool(settings.get("telephone")),
        settings.get("transcriber"),
    )  # fmt: skip
    return Cast(casting, domain, manifest.seed)


def _write_manifest(
    run: ContinueRun, folder: EnvFolder, source: EnvManifest, system: str, cast: Cast, tasks: int
) -> None:
    known = folder.read_manifest().meta if folder.manifest.exists() else None
    continued = {"continues": str(run.source), "from": run.where, "count": run.count}
    manifest = EnvManifest(
        source.domain, source.domain_at, system, run.system or source.system_uri, source.partner, source.partner_uri,
        source.speech, tasks, 1, run.seed, {**_played(run, source), **continued},
        known or {"antiphon": __version__, "made_at": cast.clock().utc().isoformat(timespec="seconds")},
    )  # fmt: skip
    write_rows(folder.manifest, [to_row(manifest)])


def _played(run: ContinueRun, source: EnvManifest) -> dict[str, Any]:
    """The settings under which continuations are played: those of the source, but for the temperature."""
    return source.settings | ({} if run.temperature is None else {"temperature": run.temperature})


def _key(start: Start) -> str:
    return start.key


@asynccontextmanager
async def _open_player(run: ContinueRun) -> AsyncGenerator[_Player]:
    """A worker that plays continuations: domain, models and kept traces are opened once a process."""
    source = EnvFolder(run.source)
    manifest = source.read_manifest()
    domain = domain_of(source)
    cast = _cast(run, domain, manifest)
    traces = {(each.task, each.trial): each for each in source.read_traces()[0]}
    await cast.warm(domain.tasks[0])
    yield _Player(run, domain, cast, traces, _settings(_played(run, manifest)))


def _settings(kept: dict[str, Any]) -> RolloutSettings:
    """The bounds under which a run was played."""
    names = ("max_turns", "max_calls", "max_tokens", "temperature", "deadline_us", "may_hang_up")
    return RolloutSettings(**{name: kept[name] for name in names if name in kept})


@dataclass(frozen=True, slots=True)
class _Player:
    run: ContinueRun
    domain: Domain
    cast: Cast
    traces: dict[tuple[str, int], Trace]
    settings: RolloutSettings

    async def __call__(self, starts: Sequence[Start]) -> list[Outcome]:
        return [await self._one(start) for start in starts]

    async def _one(self, start: Start) -> Outcome:
        task = self.domain.task(start.task)
        trace = self.traces[start.task, start.origin]
        sounds = {
            step.clip: decode((self.run.source / clip_name(step.clip)).read_bytes(), step.clip)
            for step in trace.steps[: start.step]
            if step.clip is not None
        }
        seed = seed_for(self.run.seed, start.task, start.origin, start.step, start.trial)
        try:
            guide = self.cast.partner(task, trace.seed)
            saved = await moment_before(self.domain, task, trace, start.step, guide, sounds)
        except DataError as error:
            return Failed(str(error), transient=False)
        made: dict[str, Clip] = {}
        found = await go_on(
            saved, self.domain, task, self.cast.system(task), self.cast.partner(task, trace.seed), self.settings,
            seed=seed, trial=start.trial, clock=self.cast.clock(), sounds=made, ears=self.cast.ears,
        )  # fmt: skip
        if found.stop == "infrastructure" and found.meta.get("transient"):
            return Failed(f"infrastructure: {found.why}", transient=True)
        blobs = {clip_name(name): encode(clip) for name, clip in {**sounds, **made}.items()}
        return Made(to_row(found), blobs)
