"""Outputs that were made elsewhere, kept as takes: words and sound as they are, and no times."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.audio.files import encode, read
from antiphon.bench.folder import clip_name
from antiphon.bench.instruments import check_instruments, with_instruments
from antiphon.bench.origin import stamp
from antiphon.bench.takes import Instruments, Manifest, Said, Take
from antiphon.errors import ConfigError
from antiphon.ids import hash_file, hash_json
from antiphon.jsonl import to_row
from antiphon.stage.folder import lock
from antiphon.stage.outcome import Failed, Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.bench.folder import RunFolder
    from antiphon.bench.stages import Stages
    from antiphon.bench.suite import Scoring, Suite
    from antiphon.bench.suites.outputs import Output
    from antiphon.stage.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Import:
    """Where outputs go, and what is said of them. With `covered`, only items that have an output count."""

    out: RunFolder
    suite: Suite
    system: str
    scoring: Scoring
    instruments: Instruments
    resume: bool
    covered: bool = False


async def bring_in(plan: Import, outputs: Sequence[Output], stages: Stages) -> None:
    """Make a run of existing outputs, as far as takes. Raises ConfigError where a run is already.

    An item without an output is a failure, unless `covered` leaves it out; then the run says how many.
    """
    folder = plan.out
    kept = [output for output in outputs if _has_reply(output)] if plan.covered else outputs
    if folder.manifest.exists() and not plan.resume:
        raise ConfigError(
            f"{folder.path} holds a run already; add --resume to go on with it, or choose another RUN"
        )
    folder.path.mkdir(parents=True, exist_ok=True)
    with lock(folder.path):
        folder.write(folder.manifest, [_manifest(plan, kept, left_out=len(outputs) - len(kept))])
        folder.write(folder.items, [output.item for output in kept])
        await stages.run(
            "import",
            kept,
            open_importer,
            key=_key,
            fingerprint={"system": plan.system, "outputs": hash_json([_mark(output) for output in kept])},
            out=folder.takes,
        )


def need_ears(outputs: Sequence[Output]) -> bool:
    """Whether any sound came without its transcript."""
    return any(output.clip_path is not None and output.transcript is None for output in outputs)


def _has_reply(output: Output) -> bool:
    return output.text is not None or output.clip_path is not None


def _manifest(plan: Import, outputs: Sequence[Output], *, left_out: int) -> Manifest:
    manifest = Manifest(
        suite=plan.suite.name,
        source=plan.suite.source,
        system=plan.system,
        system_uri="imported:",
        scoring=plan.scoring,
        seed=0,
        items=len(outputs),
        instruments=plan.instruments,
        transcriber="",
        scorers=(),
        judge=None,
        synthesizer=None,
        warnings=(),
        meta={**stamp(""), **({"left_out": left_out} if left_out else {})},
    )
    _, names = check_instruments(plan.instruments, hears=need_ears(outputs))
    return with_instruments(manifest, plan.instruments, names, [output.item for output in outputs])


@asynccontextmanager
async def open_importer() -> AsyncGenerator[Importer, None]:
    """A worker that turns outputs into takes."""
    yield Importer()


class Importer:
    """Keeps an output as a take. An item without words and sound fails, and its rows are invalid."""

    async def __call__(self, outputs: Sequence[Output]) -> list[Outcome]:
        return [self._one(output) for output in outputs]

    def _one(self, output: Output) -> Outcome:
        if not _has_reply(output):
            return Failed("the outputs have no reply to this item", transient=False)
        clip = read(output.clip_path) if output.clip_path is not None else None
        blobs = {clip_name(clip.digest): encode(clip)} if clip is not None else {}
        said = Said(
            text=output.text or "",
            clip=clip.digest if clip is not None else None,
            duration_s=clip.duration_s if clip is not None else 0.0,
            finish="stop",
            timing=None,
        )
        item = output.item
        meta = {"transcript": output.transcript} if output.transcript is not None else {}
        take = Take(item.id, item.subset, None, 0.0, (said,), meta=meta)
        return Made(to_row(take), blobs)


def _key(output: Output) -> str:
    return output.item.id


def _mark(output: Output) -> list[str | None]:
    """What identifies an output: its words, its sound's bytes, its transcript."""
    sound = hash_file(output.clip_path)[:16] if output.clip_path is not None else None
    return [output.item.id, output.text, sound, output.transcript]
