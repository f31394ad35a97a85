"""Measures a judge, or a panel, against labelled replies: asks, keeps every answer, and compares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from antiphon.bench.folder import RunFolder
from antiphon.bench.judgements import Case, judge_cases
from antiphon.bench.panel_notes import columns
from antiphon.bench.takes import Judged
from antiphon.judge.agreement import Agreement, Share, agreement, unanimity
from antiphon.judge.budget import NOT_ASKED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.bench.calibration.labelled import Labels
    from antiphon.bench.judgements import Jury
    from antiphon.bench.stages import Stages
    from antiphon.judge.prompt import Prompt

CALIBRATION = "calibration.jsonl"


@dataclass(frozen=True, slots=True)
class Calibration:
    """One judge on one labelled set: the labels are `truth`, its verdicts `given`.

    `agreement` is None exactly where `reason` says why nothing was measured. `members` holds the same for
    each member of a panel; `repeated` is the share of replies on which all members or repetitions agree,
    `swapped` that with the same verdict when the two words are offered in the other order.
    """

    KIND: ClassVar[str] = "calibration"
    V: ClassVar[int] = 1
    set: str
    judge: str
    prompt: str
    labelled: int
    agreement: Agreement | None = None
    reason: str | None = None
    not_asked: int = 0
    members: dict[str, Agreement] = field(default_factory=dict[str, Agreement])
    repeated: Share | None = None
    swapped: Share | None = None
    swap_reason: str | None = None


async def calibrate(
    sets: Sequence[Labels], jury: Jury, folder: RunFolder, stages: Stages, *, swap: bool = False
) -> list[Calibration]:
    """Ask about every row of every set that this judge answers; a row in the folder for each answer.

    Resumable: what was answered is not asked again. Writes `calibration.jsonl`.
    """
    found = [await _one(labels, jury, folder, stages, swap=swap) for labels in sets]
    folder.write(folder.path / CALIBRATION, found)
    return found


def cases_of(labels: Labels, prompt: Prompt) -> list[Case]:
    """What is asked about a set."""
    asks = labels.asks(prompt)
    return [Case(row.id, labels.name, ask) for row, ask in zip(labels.rows, asks, strict=True)]


def refusal(labels: Labels, jury: Jury) -> str | None:
    """Why this judge is not asked about this set; None when it is."""
    return labels.reason if labels.prompt is None else jury.open().refusal(labels.prompt)


async def _one(labels: Labels, jury: Jury, folder: RunFolder, stages: Stages, *, swap: bool) -> Calibration:
    name, prompt = jury.open().name, labels.prompt
    why = refusal(labels, jury)
    if prompt is None or why is not None:
        label = prompt.label if prompt is not None else "none"
        return Calibration(labels.name, name, label, len(labels.rows), reason=why)
    judged, not_asked = await _ask(labels, prompt, labels.name, jury, folder, stages)
    swapped, swap_reason = None, None
    if swap:
        other = prompt.swapped()
        if other is None:
            swap_reason = "this prompt offers no two words that could change places"
        else:
            again, _ = await _ask(labels, other, f"{labels.name}-swapped", jury, folder, stages)
            swapped = unanimity([[judged[key].verdict, again[key].verdict] for key in judged if key in again])
    rows = [row for row in labels.rows if row.id in judged]
    found = [judged[row.id] for row in rows]
    truth, lengths = [row.label for row in rows], [row.length for row in rows]
    return Calibration(
        labels.name,
        name,
        prompt.label,
        len(labels.rows),
        agreement(truth, [one.verdict for one in found], lengths),
        "the budget left every reply unasked" if not rows else None,
        not_asked,
        {member: agreement(truth, verdicts, lengths) for member, verdicts in _members(found).items()},
        unanimity([[each.verdict for each in one.opinions] for one in found]) if _members(found) else None,
        swapped,
        swap_reason,
    )


async def _ask(
    labels: Labels, prompt: Prompt, name: str, jury: Jury, folder: RunFolder, stages: Stages
) -> tuple[Mapping[str, Judged], int]:
    """Verdicts by row, and how many rows the budget left unasked; a failed call is an invalid verdict."""
    out = folder.path / f"{name}.jsonl"
    await judge_cases(cases_of(labels, prompt), jury, out, stages)
    failures, judged = folder.rows(out, Judged)
    found = {one.item: one for one in judged}
    for key, reason in failures.items():
        item = key.rsplit(" ", 2)[0]
        if not reason.startswith(NOT_ASKED):
            found[item] = Judged(item, labels.name, "", prompt.label, None, "", "invalid", reason)
    return found, sum(reason.startswith(NOT_ASKED) for reason in failures.values())


def _members(judged: Sequence[Judged]) -> dict[str, list[bool | float | None]]:
    several = len({opinion.seed for one in judged for opinion in one.opinions}) > 1
    return {
        f"{judge} ({seed + 1})" if several else judge: verdicts
        for (judge, seed), verdicts in columns(judged).items()
    }
