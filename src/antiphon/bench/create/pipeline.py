"""The creation pipeline from start to dataset. Every stage is resumable, and a person's decisions enter it.

source → translate → entities → adapt → choices → (edits) → tag → check → (voices) → speech → dataset

Each file holds a stage's drafts under id and content, so a decision makes exactly what follows from it anew.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.bench.create.casting import cast, doubts
from antiphon.bench.create.created import Created, dataset_path, drafts_path, voices_path
from antiphon.bench.create.dataset import write_dataset
from antiphon.bench.create.decisions import read_decisions
from antiphon.bench.create.gauges import open_gauges
from antiphon.bench.create.names import read_names
from antiphon.bench.create.plan import plan_path, read_plan, write_plan
from antiphon.bench.create.source import read_source
from antiphon.bench.create.speech import Speaker, Studio, open_speaker
from antiphon.bench.create.stages import VERSION, TextStage, merged, text_stages, verdict_prompts
from antiphon.bench.create.verify import COMPARED_BY
from antiphon.bench.create.voices import SAMPLE, VoiceProfile, open_audition, sources
from antiphon.bench.origin import stamp
from antiphon.clock import RealClock
from antiphon.errors import ConfigError
from antiphon.ids import hash_json
from antiphon.jsonl import to_row, write_rows
from antiphon.judge.uri import open_judge
from antiphon.models.catalog import open_chat, open_synthesizer, open_transcriber
from antiphon.models.ports import is_scripted
from antiphon.stage.folder import lock
from antiphon.stage.map import Settings, map_records
from antiphon.stage.seal import read_sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antiphon.bench.create.decisions import Decisions
    from antiphon.bench.create.draft import Draft
    from antiphon.bench.create.plan import Plan
    from antiphon.bench.create.voices import VoiceSource
    from antiphon.stage.outcome import OpenWorker
    from antiphon.stage.progress import Progress


_HERE = Settings()


async def create(plan: Plan, out: Path, watch: Callable[[str], Progress], how: Settings = _HERE) -> Created:
    """Perform what is missing and write the dataset. Raises ConfigError before anything is written where
    the plan cannot work; a call that was killed is repeated with the same plan and goes on."""
    drafts = read_source(Path(plan.source), plan.subset, plan.limit)
    names = read_names(Path(plan.names) if plan.names else None)
    languages = sorted({draft.shape.language for draft in drafts}, reverse=True)
    voices = sources(plan.voices, plan.synthesizer, languages)
    stages = text_stages(plan, names)
    _refuse_other(out)
    named = replace(plan, meta=_meta(plan, out))
    with lock(out):
        write_plan(out, named)
        line = _Line(out, watch, how)
        profiles = await line.audition(plan, voices)
        decisions = read_decisions(out)
        first = [stage for stage in stages if stage.name in TextStage.NAME_FIRST]
        for stage in first:
            drafts = await line.text(stage, drafts)
        drafts = [decisions.retaken(decisions.edited(draft)) for draft in drafts]
        for stage in stages[len(first) :]:
            drafts = await line.text(stage, drafts)
        drafts = await line.speech(plan, drafts, profiles, decisions)
        created = Created(out, named, tuple(drafts), tuple(profiles), decisions)
        write_rows(drafts_path(out), map(to_row, drafts))
        write_dataset(created, dataset_path(out))
    return created


def _refuse_other(out: Path) -> None:
    if (out / "run.json").exists():
        raise ConfigError(f"{out} holds a run; choose another --out")


def _meta(plan: Plan, out: Path) -> dict[str, object]:
    """Full names of every model, opened once and cheaply, with date and versions; the date stays that of the
    first call. Raises ConfigError, UnavailableError."""
    clock = RealClock()
    names: dict[str, str | None] = {
        "texts by": open_chat(plan.chat, clock).name,
        "judge": open_judge(plan.judge, clock).name if plan.judge else None,
        "voice": open_synthesizer(plan.synthesizer, clock).name,
        "recogniser": open_transcriber(plan.transcriber, clock).name,
        **open_gauges(plan.scorers, clock).names,
    }
    scripted = [name for name in names.values() if name and is_scripted(name)]
    found = stamp(scripted[0] if scripted else "")
    if plan_path(out).exists():
        found["made_at"] = read_plan(out).meta.get("made_at", found["made_at"])
    return {"models": names, "verdicts": verdict_prompts(), "scripted": bool(scripted), **found}


@dataclass(frozen=True, slots=True)
class _Line:
    """The stages of one folder, run one after another."""

    folder: Path
    watch: Callable[[str], Progress]
    how: Settings

    async def text(self, stage: TextStage, drafts: Sequence[Draft]) -> list[Draft]:
        wanted = [draft for draft in drafts if not draft.blocked and stage.wants(draft)]
        return await self._drafts(stage.name, wanted, drafts, stage.open_worker, stage.fingerprint)

    async def _drafts(
        self, name: str, wanted: Sequence[Draft], drafts: Sequence[Draft], open_worker: OpenWorker[Draft],
        fingerprint: Mapping[str, object],
    ) -> list[Draft]:  # fmt: skip
        out = self.folder / f"{name}.jsonl"
        if not wanted and not out.exists():
            return list(drafts)
        await map_records(
            wanted, open_worker, key=lambda draft: draft.key, fingerprint=fingerprint, out=out,
            settings=self.how, progress=self.watch(name),
        )  # fmt: skip
        return merged(drafts, out, name)

    async def audition(self, plan: Plan, voices: Sequence[VoiceSource]) -> list[VoiceProfile]:
        clock = RealClock()
        out = voices_path(self.folder)
        await map_records(
            voices,
            partial(open_audition, plan.synthesizer, plan.scorers, plan.seed),
            key=lambda voice: f"{voice.name or 'default'}@{hash_json(astuple(voice))[:12]}",
            fingerprint={
                "stage": "voices", "version": VERSION, "sample": SAMPLE, "seed": plan.seed,
                "voice": open_synthesizer(plan.synthesizer, clock).name,
                **open_gauges(plan.scorers, clock).names,
            },
            out=out, settings=self.how, progress=self.watch("voices"),
        )  # fmt: skip
        profiles, failures = read_sealed(out, VoiceProfile)
        if not profiles:
            raise ConfigError(f"no voice can be used (first: {failures[0].reason}); choose other --voices")
        return profiles

    async def speech(
        self, plan: Plan, drafts: Sequence[Draft], profiles: Sequence[VoiceProfile], decisions: Decisions
    ) -> list[Draft]:
        heard = decisions.of_voices
        ready = [
            draft if draft.blocked else cast(draft, profiles, heard, plan.attempts, plan.seed)
            for draft in drafts
        ]
        clock = RealClock()
        prompts = {voice.name: (voice.file, voice.text) for voice in profiles if voice.origin == "prompt"}
        studio = Studio(plan.synthesizer, plan.transcriber, plan.scorers, prompts, plan.seed)
        spoken = await self._drafts(
            Speaker.NAME,
            [draft for draft in ready if not draft.blocked],
            ready,
            partial(open_speaker, studio),
            {
                "stage": Speaker.NAME, "version": VERSION, "seed": plan.seed, "compared by": COMPARED_BY,
                "voice": open_synthesizer(plan.synthesizer, clock).name,
                "recogniser": open_transcriber(plan.transcriber, clock).name,
                **open_gauges(plan.scorers, clock).names,
            },
        )  # fmt: skip
        by_name = {voice.name: voice for voice in profiles}
        return [_doubted(draft, by_name, heard) for draft in spoken]


def _doubted(draft: Draft, profiles: Mapping[str, VoiceProfile], heard: Mapping[str, str]) -> Draft:
    if draft.spoken is None:
        return draft
    for reason in doubts(draft, profiles[draft.spoken.voice], heard):
        draft = draft.marked("voice", "unverified", reason)
    return draft
