"""A run from start to report: items → queries → takes → transcripts, measures, judgements → scores.

Every stage is resumable and keeps its rows; scoring is a pure function of the files before it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from antiphon.audio.background import open_corpus
from antiphon.bench import contours
from antiphon.bench.choose import choose
from antiphon.bench.instruments import asked_for, check_instruments, scheme_of, usable, with_instruments
from antiphon.bench.items import Item
from antiphon.bench.judge_bill import announce
from antiphon.bench.judgements import Judging, Jury, cases, due, judge_cases
from antiphon.bench.listen import Sound, open_gauge, open_listener, sounds_of
from antiphon.bench.live import VERSION, open_live_performer
from antiphon.bench.origin import clock_for, stamp
from antiphon.bench.parts import cuts, open_cutter
from antiphon.bench.perform import Call, Performance, open_performer
from antiphon.bench.queries import Query, condition, open_querist
from antiphon.bench.scoring import gather, given_transcript, score_run
from antiphon.bench.stages import Stages
from antiphon.bench.takes import Instruments, Manifest, Part, Take
from antiphon.bench.theatre import Theatre
from antiphon.bench.tracks import by, clips_of, open_detector
from antiphon.errors import ConfigError
from antiphon.jsonl import read_records
from antiphon.models.catalog import open_chat, open_scorer, open_synthesizer, open_transcriber
from antiphon.stage.folder import lock
from antiphon.stage.map import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from antiphon.bench.folder import RunFolder
    from antiphon.bench.instruments import Gaps, Names
    from antiphon.bench.live import Venue
    from antiphon.bench.suite import Metrics, Scoring, Suite
    from antiphon.judge.budget import Budget
    from antiphon.stage.progress import Progress


@dataclass(frozen=True, slots=True)
class Plan:
    """One run: whom to ask what, how, and where to keep it. `venue` is where a live suite is performed, in
    virtual time in a theatre."""

    suite: Suite
    system: str
    out: RunFolder
    instruments: Instruments = field(default_factory=Instruments)
    scoring: Scoring = "strict"
    seed: int = 0
    noise: Path | None = None  # recordings for background noise; None: synthetic babble
    limit: int | None = None
    balanced: bool = False
    fresh: bool = False
    resume: bool = False
    budget: Budget | None = None
    how: Settings = field(default_factory=Settings)
    venue: Venue | Theatre | None = None

    @property
    def items(self) -> tuple[Item, ...]:
        return choose(self.suite.items, self.limit, balanced=self.balanced)

    @property
    def speaks(self) -> bool:
        """Whether any question must be spoken first."""
        return not self.suite.virtual and any(item.audio is None for item in self.items)


async def run(
    plan: Plan, watch: Callable[[str], Progress], say: Callable[[str], None] | None = None
) -> RunFolder:
    """Perform and score. Raises ConfigError before anything is written if the plan cannot work."""
    gaps, names = check(plan)
    folder = plan.out
    if folder.manifest.exists() and not plan.resume:
        raise ConfigError(
            f"{folder.path} holds a run already; add --resume to go on with it, or choose another --out"
        )
    with lock(folder.path):
        _begin(plan, names)
        stages = Stages(plan.how, watch, plan.budget, say)
        if isinstance(plan.venue, Theatre):
            await _play(plan, stages, names, plan.venue)
        else:
            queries = await _ask(plan, stages, names)
            await _perform(plan, stages, names, queries, plan.venue)
        await evaluate(
            folder, plan.suite.metrics, usable(plan.instruments, names), plan.scoring, gaps, stages
        )
    return folder


def check(plan: Plan) -> tuple[Gaps, Names]:
    """Open everything once, cheaply: the full names of all parts, and what is not available.

    A missing scorer is a gap that the report names; anything else that is missing stops the run.
    """
    if not plan.items:
        raise ConfigError(f"no items left of suite {plan.suite.name}; loosen --subset or --limit")
    for item in plan.items:
        condition(item)
    clock = clock_for(plan.system)
    if plan.suite.live and plan.venue is None:
        raise ConfigError(f"{plan.suite.name} is performed in real time, and nothing here says how")
    performer = plan.venue.open if plan.venue is not None else open_chat
    names: Names = {"system": performer(plan.system, clock).name}
    names["synthesizer"] = open_synthesizer(plan.instruments.synthesizer, clock).name if plan.speaks else None
    gaps, listening = check_instruments(plan.instruments)
    return gaps, names | listening


def _begin(plan: Plan, names: Names) -> None:
    folder = plan.out
    folder.path.mkdir(parents=True, exist_ok=True)
    _check_unchanged(plan)
    meta = folder.read_manifest().meta if folder.manifest.exists() else stamp(plan.system)
    manifest = Manifest(
        suite=plan.suite.name,
        source=plan.suite.source,
        system=names["system"] or plan.system,
        system_uri=plan.system,
        scoring=plan.scoring,
        seed=plan.seed,
        items=len(plan.items),
        instruments=plan.instruments,
        transcriber="",
        scorers=(),
        judge=None,
        synthesizer=names["synthesizer"],
        warnings=(),
        meta=meta,
    )
    folder.write(folder.items, plan.items)
    folder.write(folder.manifest, [with_instruments(manifest, plan.instruments, names, plan.items)])


def _check_unchanged(plan: Plan) -> None:
    """An item that keeps its name must stay what it was: its question has been asked already."""
    if not plan.out.items.exists():
        return
    before = {item.id: replace(item, audio=None) for item in read_records(plan.out.items, Item)}
    now = [replace(item, audio=None) for item in plan.items]  # the data folder may have moved
    changed = [item.id for item in now if before.get(item.id, item) != item]
    if changed:
        raise ConfigError(
            f"{len(changed)} items are not what they were when this run began (first: {changed[0]}); "
            "choose another --out"
        )


async def _ask(plan: Plan, stages: Stages, names: Names) -> dict[str, Query]:
    folder = plan.out
    corpus = open_corpus(plan.noise) if plan.noise else None
    noise = {"noise": corpus.name} if corpus else {}
    await stages.run(
        "questions",
        plan.items,
        partial(open_querist, plan.instruments.synthesizer if plan.speaks else None, plan.seed, corpus),
        key=_id,
        fingerprint={
            "synthesizer": names["synthesizer"],
            "seed": plan.seed,
            "suite": plan.suite.name,
            **noise,
        },
        out=folder.queries,
    )
    failures, queries = folder.rows(folder.queries, Query)
    if failures:
        item, reason = next(iter(failures.items()))
        raise ConfigError(
            f"{len(failures)} questions have no sound; first {item}: {reason}; mend it and --resume"
        )
    return {query.item: query for query in queries}


async def _play(plan: Plan, stages: Stages, names: Names, theatre: Theatre) -> None:
    """Perform in virtual time: nothing is asked in sound."""
    how = Performance(plan.system, plan.seed, None)
    await stages.run(
        "sessions",
        plan.items,
        partial(theatre.perform, how, plan.out.path),
        key=_id,
        fingerprint={"system": names["system"], "seed": plan.seed, "virtual": True},
        out=plan.out.takes,
    )


async def _perform(
    plan: Plan, stages: Stages, names: Names, queries: dict[str, Query], venue: Venue | None
) -> None:
    in_flight = max(1, plan.how.workers) * plan.how.in_flight
    how = Performance(plan.system, plan.seed, plan.suite.max_tokens, in_flight, plan.fresh)
    live = {} if venue is None else {"live": VERSION, "tail": asdict(venue.tail)}
    await stages.run(
        "replies",
        [Call(item, queries[item.id]) for item in plan.items],
        partial(open_performer, how, plan.out.path)
        if venue is None
        else partial(open_live_performer, how, venue, plan.out.path),
        key=_call_id,
        fingerprint={
            "system": names["system"],
            "seed": plan.seed,
            "max_tokens": plan.suite.max_tokens,
            "in_flight": in_flight,
            **live,
        },
        out=plan.out.takes,
    )


async def evaluate(
    folder: RunFolder,
    metrics: Metrics,
    instruments: Instruments,
    scoring: Scoring,
    gaps: Gaps,
    stages: Stages,
) -> None:
    """Everything after the takes: listen, judge, score. Repeats nothing that is there already."""
    _, takes = folder.rows(folder.takes, Take)
    sounds = sounds_of(takes, told_language=scoring == "strict")
    # No recogniser: sessions were performed without sound.
    if instruments.transcriber and (todo := unheard(takes, scoring)):
        await stages.instrument(
            "transcripts",
            todo,
            partial(open_listener, instruments.transcriber, folder.path),
            key=_clip,
            fingerprint={
                "transcriber": open_transcriber(instruments.transcriber, clock_for("")).name,
                "told_language": scoring == "strict",
            },
            out=folder.transcripts,
            how=replace(stages.how, batch=8, in_flight=1),
        )
    if tracks := clips_of(takes):
        await stages.instrument(
            "voices",
            [Sound(clip, None) for clip in tracks],
            partial(open_detector, folder.path),
            key=_clip,
            fingerprint={"detector": by()},
            out=folder.voiced,
            how=replace(stages.how, batch=8, in_flight=1),
        )
    if tracks and any(contours.NEED in metric.needs for metric in metrics[scoring]):
        await stages.instrument(
            "pitch and intensity",
            [Sound(clip, None) for clip in contours.agents(takes)],
            partial(contours.open_tracer, folder.path),
            key=_clip,
            fingerprint={"tracer": contours.BY},
            out=folder.contours,
            how=replace(stages.how, batch=8, in_flight=1),
        )
    if instruments.scorers and (wanted := cuts(metrics[scoring], gather(folder, gaps))):
        await stages.instrument(
            "parts",
            wanted,
            partial(open_cutter, folder.path),
            key=_cut,
            fingerprint={"parts": 1},
            out=folder.parts,
        )
        sounds += [Sound(part.clip, None) for part in folder.rows(folder.parts, Part)[1]]
    scorers = {uri: open_scorer(uri, clock_for("")) for uri in instruments.scorers}
    for uri, scorer in scorers.items():
        scheme = scheme_of(uri)
        await stages.instrument(
            scheme,
            sounds,
            partial(open_gauge, uri, folder.path),
            key=_clip,
            fingerprint={"scorer": scorer.name},
            out=folder.measures(scheme),
            how=replace(stages.how, batch=8, in_flight=1),
        )
    asked = asked_for(metrics[scoring], scorers.values(), gaps)
    if instruments.judge is not None:
        jury = Jury(instruments.judges, instruments.repeat, stages.budget)
        todo = cases(Judging(folder, asked, jury))
        announce(due(todo, jury, folder), jury, stages)
        await judge_cases(todo, jury, folder.judgements, stages)
    score_run(folder, asked, gaps)


def unheard(takes: Sequence[Take], scoring: Scoring) -> list[Sound]:
    """The sounds that a recogniser must write down: all but those that came with their transcript."""
    given = {said.clip for take in takes if given_transcript(take) for said in take.replies}
    sounds = sounds_of(takes, told_language=scoring == "strict")
    return [sound for sound in sounds if sound.clip not in given]


def _id(item: Item) -> str:
    return item.id


def _call_id(call: Call) -> str:
    return call.item.id


def _cut(cut: Any) -> str:
    return str(cut.key)


def _clip(sound: Any) -> str:
    return str(sound.clip)
