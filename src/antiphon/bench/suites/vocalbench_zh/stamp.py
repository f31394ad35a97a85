"""Whether a run's numbers may stand beside the paper's: its instruments against the paper's, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.models.ports import is_scripted

if TYPE_CHECKING:
    from antiphon.bench.results import Results

_ELSEWHERE = "not known: the replies were made elsewhere"


@dataclass(frozen=True, slots=True)
class Stamp:
    """One instrument: what the paper used, what the run used, and whether that is the same.

    What is not known is not the same.
    """

    part: str
    paper: str
    here: str
    same: bool


def stamps(results: Results) -> tuple[Stamp, ...]:
    """The comparability of a run, part by part (paper: section 4.2, appendix C.1)."""
    run = results.manifest
    judge, ear = (run.judge or "none").lower(), run.transcriber.lower()
    alone = len(run.instruments.judges) < 2 and run.instruments.repeat == 1
    mos = next((name for name in run.scorers if name.lower().startswith("utmos22")), "none")
    feeling = next((name for name in run.scorers if "emotion2vec" in name.lower()), "none")
    imported = run.system_uri == "imported:"
    machines = sorted({str(take.meta.get("machine") or "not known") for take in results.takes.values()})
    hardware = _ELSEWHERE if imported else ", ".join(machines) or "not known"
    spoken = f"spoken here by {run.synthesizer}" if run.synthesizer else "recordings in the user's folder"
    return (
        Stamp(
            "judge", "Qwen2.5-Max (in the code: qwen-max-2025-01-25)", run.judge or "none",
            alone and ("qwen-max-2025-01-25" in judge or "qwen2.5-max" in judge),
        ),
        Stamp(
            "recogniser", "Whisper-large-v3", run.transcriber or "none",
            "whisper" in ear and "large-v3" in ear and "turbo" not in ear and "distil" not in ear,
        ),
        Stamp(
            "UTMOS checkpoint", "UTMOS22, “the official OOD model”, not named further", mos,
            "ood" in mos.lower(),
        ),
        Stamp(
            "emotion model", "emotion2vec_plus_large", feeling,
            "emotion2vec_plus_large" in feeling.lower(),
        ),
        Stamp(
            "query audio", "the published recordings (CosyVoice2)", _ELSEWHERE if imported else spoken,
            not imported and run.synthesizer is None,
        ),
        Stamp(
            "hardware", "one NVIDIA L20 (Kimi-Audio: A100)", hardware,
            not imported and bool(machines) and all("NVIDIA L20" in machine for machine in machines),
        ),
        Stamp("scoring", "paper", run.scoring, run.scoring == "paper"),
        Stamp(
            "replies", "a model's", "scripted" if scripted(results) else "a model's", not scripted(results)
        ),
    )  # fmt: skip


def scripted(results: Results) -> bool:
    """Whether the replies were written in advance."""
    return any(is_scripted(name) for name in (results.manifest.system, results.manifest.system_uri))
