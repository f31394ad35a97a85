"""Many rollouts: tasks × trials, resumable after a kill, in processes or on a cluster, kept in a run folder.

A run folder holds `run.json`, `traces.jsonl`, `clips/` (spoken episodes) and, once scored, `verdicts.jsonl`.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from antiphon import __version__
from antiphon.audio.files import encode
from antiphon.envs.casting import Cast, Casting
from antiphon.envs.domain import Domain, folder_of, open_domain
from antiphon.envs.prompt import prompt_version
from antiphon.envs.rollout import RolloutSettings, roll_out
from antiphon.errors import ConfigError
from antiphon.ids import seed_for
from antiphon.jsonl import read_records, to_row, write_rows
from antiphon.stage.folder import lock
from antiphon.stage.map import Settings, map_records
from antiphon.stage.outcome import Failed, Made
from antiphon.stage.progress import Silent
from antiphon.stage.seal import read_sealed
from antiphon.trace import INVALID_STOPS, Trace

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.envs.task import Task
    from antiphon.stage.map import Finished
    from antiphon.stage.outcome import Failure, Outcome
    from antiphon.stage.progress import Progress

_SCRIPTED_BATCH = 16  # instant episodes: fewer trips between processes
_NOBODY = Silent()


@dataclass(frozen=True, slots=True)
class EnvRun:
    """One run. `domain` is a name or folder, or a domain at hand (then in this process only); no `tasks`: all.

    An invalid episode is played again with another seed, at most `resamples` times.
    """

    domain: str | Domain
    out: Path
    casting: Casting = field(default_factory=Casting)
    tasks: tuple[str, ...] = ()
    trials: int = 1
    seed: int = 0
    resamples: int = 2
    settings: RolloutSettings = field(default_factory=RolloutSettings)
    how: Settings = field(default_factory=Settings)
    resume: bool = False

    def __post_init__(self) -> None:
        for name, given, least in (("trials", self.trials, 1), ("resamples", self.resamples, 0)):
            if given < least:
                raise ConfigError(f"--{name} must be at least {least}, not {given}")
        if isinstance(self.domain, Domain) and (self.how.workers or self.how.cluster):
            raise ConfigError("a domain at hand is played in this process; name its folder to use workers")


@dataclass(frozen=True, slots=True)
class EnvManifest:
    """What a run is (`run.json`). `domain_at` is the name or folder to open the domain by, empty for one that was
    made in memory; `speech` names what the partner's turns were made of, empty for written ones."""

    KIND: ClassVar[str] = "env_run"
    V: ClassVar[int] = 1
    domain: str
    domain_at: str
    system: str
    system_uri: str
    partner: str
    partner_uri: str
    speech: str
    tasks: int
    trials: int
    seed: int
    settings: dict[str, Any]
    meta: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class EnvFolder:
    """The files of a run."""

    path: Path

    @property
    def manifest(self) -> Path:
        return self.path / "run.json"

    @property
    def traces(self) -> Path:
        return self.path / "traces.jsonl"

    @property
    def verdicts(self) -> Path:
        return self.path / "verdicts.jsonl"

    @property
    def report(self) -> Path:
        return self.path / "report" / "index.html"

    def read_manifest(self) -> EnvManifest:
        """What the run is. Raises ConfigError where there is none."""
        if not self.manifest.exists():
            raise ConfigError(
                f"no rollouts in {self.path}; `antiphon envs run DOMAIN --out {self.path}` makes some"
            )
        return read_records(self.manifest, EnvManifest)[0]

    def read_traces(self) -> tuple[list[Trace], list[Failure]]:
        """The traces, and what stands for episodes that gave none."""
        if not self.traces.exists():
            raise ConfigError(f"the rollouts in {self.path} are not finished; go on with --resume")
        return read_sealed(self.traces, Trace)


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode to play: the record of the stage."""

    task: str
    version: str
    trial: int

    @property
    def key(self) -> str:
        """Its name for good: a task that changes gets new episodes."""
        return f"{self.task}@{self.version} {self.trial}"


def clip_name(digest: str) -> str:
    """Where a clip lies inside a run folder."""
    return f"clips/{digest}.flac"


async def run_rollouts(run: EnvRun, progress: Progress = _NOBODY) -> Finished:
    """Play every task and trial that has no trace yet. Raises ConfigError before anything is written if it cannot
    work, and for a folder that holds a run already unless it is to be resumed."""
    domain = run.domain if isinstance(run.domain, Domain) else open_domain(run.domain)
    folder = EnvFolder(run.out)
    tasks = chosen(domain, run.tasks)
    cast = Cast(run.casting, domain, run.seed)
    system, partner = _check(cast, tasks)
    if folder.manifest.exists() and not run.resume:
        raise ConfigError(
            f"{run.out} holds a run already; add --resume to go on with it, or choose another --out"
        )
    fingerprint = {
        "domain": domain.version,
        "system": system,
        "partner": partner,
        "prompt": prompt_version(),
        "seed": run.seed,
        "resamples": run.resamples,
        "settings": _plain(run.settings),
    }
    how = replace(run.how, batch=_SCRIPTED_BATCH) if run.casting.instant and run.how.batch == 1 else run.how
    trials = [Trial(task.task_id, task.version, number) for number in range(run.trials) for task in tasks]
    with lock(run.out):
        _write_manifest(folder, run, cast, len(tasks), (system, partner))
        return await map_records(
            trials,
            partial(open_player, run),
            key=_key,
            fingerprint=fingerprint,
            out=folder.traces,
            settings=how,
            progress=progress,
        )


def chosen(domain: Domain, names: Sequence[str]) -> list[Task]:
    """The tasks of those names, all without. Raises ConfigError listing the ids there are."""
    tasks = [domain.task(name) for name in dict.fromkeys(names)] or list(domain.tasks)
    if not tasks:
        raise ConfigError(f"{domain.name} has no tasks; antiphon envs check {domain.name}")
    return tasks


def _check(cast: Cast, tasks: Sequence[Task]) -> tuple[str, str]:
    """The full names of system and partner; every task must be playable by them."""
    names = ("", "")
    problems: list[str] = []
    for task in tasks:
        try:
            names = cast.check(task)
        except ConfigError as error:
            problems.append(str(error))
    if problems:
        more = f" (and {len(problems) - 1} more tasks)" if len(problems) > 1 else ""
        raise ConfigError(f"{problems[0]}{more}")
    return names


def _write_manifest(folder: EnvFolder, run: EnvRun, cast: Cast, tasks: int, names: tuple[str, str]) -> None:
    casting = run.casting
    at = "" if isinstance(run.domain, Domain) else str(_absolute(run.domain))
    known = folder.read_manifest().meta if folder.manifest.exists() else None
    manifest = EnvManifest(
        domain=cast.domain.name, domain_at=at, system=names[0], system_uri=casting.system, partner=names[1],
        partner_uri=casting.partner, speech=casting.synthesizer or "", tasks=tasks, trials=run.trials, seed=run.seed,
        settings={**_plain(run.settings), "resamples": run.resamples, "noise": list(casting.noise),
                  "telephone": casting.telephone,
                  **({"transcriber": casting.transcriber} if casting.transcriber else {})},
        meta=known or {"antiphon": __version__, "made_at": cast.clock().utc().isoformat(timespec="seconds")},
    )  # fmt: skip
    write_rows(folder.manifest, [to_row(manifest)])


def _absolute(name: str) -> str:
    """One of our own by its name, yours by its absolute folder."""
    folder = folder_of(name)
    return name if folder.resolve() != Path(name).resolve() else str(folder.resolve())


def _plain(settings: RolloutSettings) -> dict[str, Any]:
    """Settings as JSON; a function is named."""
    plain = msgspec.to_builtins(replace(settings, unreachable=None))
    why = settings.unreachable
    return plain | {"unreachable": f"{why.__module__}.{why.__qualname__}" if why is not None else None}


def _key(trial: Trial) -> str:
    return trial.key


@asynccontextmanager
async def open_player(run: EnvRun) -> AsyncGenerator[Player]:
    """A worker that plays episodes: domain and models are opened once a process."""
    domain = run.domain if isinstance(run.domain, Domain) else open_domain(run.domain)
    cast = Cast(run.casting, domain, run.seed)
    await cast.warm(chosen(domain, run.tasks)[0])
    yield Player(run, domain, cast)


@dataclass(frozen=True, slots=True)
class Player:
    """Plays episodes, invalid ones again."""

    run: EnvRun
    domain: Domain
    cast: Cast

    async def __call__(self, trials: Sequence[Trial]) -> list[Outcome]:
        return [await self._one(trial) for trial in trials]

    async def _one(self, trial: Trial) -> Outcome:
        task = self.domain.task(trial.task)
        thrown_away: list[dict[str, Any]] = []
        trace, sounds = await self._play(task, trial.trial, 0)
        while _again(trace) and len(thrown_away) < self.run.resamples:
            thrown_away.append({"stop": trace.stop, "why": trace.why, "seed": trace.seed})
            trace, sounds = await self._play(task, trial.trial, len(thrown_away))
        if trace.stop == "infrastructure" and trace.meta.get("transient"):
            return Failed(f"infrastructure: {trace.why}", transient=True)
        if thrown_away:
            trace = replace(trace, meta={**trace.meta, "resampled": thrown_away})
        return Made(to_row(trace), {clip_name(name): encode(clip) for name, clip in sounds.items()})

    async def _play(self, task: Task, trial: int, attempt: int) -> tuple[Trace, dict[str, Clip]]:
        seed = seed_for(self.run.seed, task.task_id, trial, attempt)
        sounds: dict[str, Clip] = {}
        trace = await roll_out(
            self.domain, task, self.cast.system(task), self.cast.partner(task, seed, attempt), self.run.settings,
            seed=seed, trial=trial, clock=self.cast.clock(), sounds=sounds, ears=self.cast.ears,
        )  # fmt: skip
        return trace, sounds


def _again(trace: Trace) -> bool:
    """Whether an episode is invalid, and may go otherwise with another seed."""
    if trace.stop == "infrastructure":
        return bool(trace.meta.get("transient"))
    return trace.stop in INVALID_STOPS
