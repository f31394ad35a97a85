"""Whether questions were recorded from people or synthesized: the label that stands beside every number."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antiphon.bench.items import Item
    from antiphon.bench.results import Results
    from antiphon.bench.takes import Take

WORDS = ("recorded", "synthetic", "text only")
PUBLISHED = "synthetic"  # VocalBench-zh, Limitations: "relies exclusively on synthetic data"


def speech_of(item: Item, take: Take | None) -> str:
    """ "recorded" or "synthetic"; "text only" where the system was asked without sound.

    What the take says goes before what the item says: a question without a recording may have been spoken.
    """
    if take is None:
        return item.speech
    # A session in virtual time may be heard though no question's sound is kept.
    silent = take.query is None and not (take.met is not None and take.query_s > 0)
    return "text only" if silent else take.query_speech


def speech_label(words: Iterable[str]) -> str:
    """One word where all agree, otherwise each with its count: "recorded 12, synthetic 88"; "" of nothing."""
    counts = Counter(words)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{word} {counts[word]:,}" for word in WORDS if counts[word])


def run_speech(results: Results) -> str:
    """The label of a whole run."""
    return speech_label(speech_of(item, results.takes.get(item.id)) for item in results.items)
