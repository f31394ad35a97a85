"""`Ballot`: one reply under one metric, as a rater sees it: without the system's name or a judge's verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.bench.catalog import metrics_of
from antiphon.bench.judgements import Judging, Jury, cases
from antiphon.bench.suite import known_scoring
from antiphon.bench.takes import Take
from antiphon.cache import key_of
from antiphon.errors import ConfigError, unknown
from antiphon.ids import rng

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from antiphon.bench.folder import RunFolder
    from antiphon.bench.judgements import Case
    from antiphon.judge.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Ballot:
    """A reply to be rated. `id` tells nothing about the run; `top` is None for yes or no (with the prompt's
    own words), else the best score."""

    id: str
    run: int
    item: str
    metric: str
    prompt: str
    rubric: str
    words: tuple[str, ...]
    top: int | None
    question: str
    history: str
    answer: str
    response: str
    query: Path | None
    sound: Path | None


def ballots(
    folders: Sequence[RunFolder], metrics: Collection[str], sample: int | None, seed: int
) -> list[Ballot]:
    """What is to be rated, in an order by lot. Of several runs the same items are drawn.

    These are the replies that a judge would be asked about: what a keyword settles needs no opinion.
    Raises ConfigError for a metric that no judge is asked about here, or a sample below 1.
    """
    found = [ballot for number, folder in enumerate(folders) for ballot in _of_run(number, folder, seed)]
    known = {ballot.metric for ballot in found}
    for metric in metrics:
        if metric not in known:
            raise unknown("metric to rate", metric, known)
    wanted = [ballot for ballot in found if not metrics or ballot.metric in metrics]
    if sample is not None:
        wanted = _drawn(wanted, sample, seed)
    order = rng(seed, "ballots").permutation(len(wanted))
    return [wanted[place] for place in order]


def rubric_of(prompt: Prompt) -> str:
    """What the prompt asks for and its scale, without the reply's own lines and the form of the answer."""
    paragraphs = prompt.text.strip().split("\n\n")
    kept = ["\n".join(line for line in part.splitlines() if "{" not in line) for part in paragraphs[:-1]]
    return "\n\n".join(part for part in kept if part.strip())


def _of_run(number: int, folder: RunFolder, seed: int) -> list[Ballot]:
    manifest = folder.read_manifest()
    if not folder.takes.exists():
        raise ConfigError(
            f"the run in {folder.path} has no replies yet; finish it with `antiphon run … --resume`"
        )
    suite = metrics_of(manifest.source)[known_scoring(manifest.scoring)]
    takes = {take.item: take for take in folder.rows(folder.takes, Take)[1]}
    return [
        _ballot(number, folder, case, takes[case.item], seed)
        for case in cases(Judging(folder, suite, Jury(())))
    ]


def _ballot(number: int, folder: RunFolder, case: Case, take: Take, seed: int) -> Ballot:
    fields, prompt = case.ask.fields, case.ask.prompt
    clip = take.replies[-1].clip
    return Ballot(
        key_of(seed, number, case.item, case.metric)[:16],
        number,
        case.item,
        case.metric,
        prompt.label,
        rubric_of(prompt),
        prompt.choices,
        None if prompt.choices else prompt.top,
        fields.get("question", ""),
        fields.get("history", ""),
        fields.get("answer", "") if prompt.with_reference else "",
        fields.get("response", ""),
        folder.clip(take.query) if take.query else None,
        folder.clip(clip) if clip else None,
    )


def _drawn(found: Sequence[Ballot], sample: int, seed: int) -> list[Ballot]:
    """Whole pairs of item and metric, of all runs, until there are enough replies."""
    if sample < 1:
        raise ConfigError(f"--sample must be at least 1, not {sample}")
    pairs = list(dict.fromkeys((ballot.item, ballot.metric) for ballot in found))
    runs: dict[tuple[str, str], list[Ballot]] = {pair: [] for pair in pairs}
    for ballot in found:
        runs[ballot.item, ballot.metric].append(ballot)
    chosen: list[Ballot] = []
    for place in rng(seed, "sample").permutation(len(pairs)):
        if len(chosen) >= sample:
            break
        chosen += runs[pairs[place]]
    return chosen
