"""What scoring costs: 11,115 ready syllable pairs against jiwer, text to syllables against `lazy_pinyin`.

    python benchmarks/scoring.py [--data DIR] [--json]

Lengths are those of the published data: an item's answer where it is a whole reply (20 syllables or more),
else one of the five published Qwen3-Omni replies, drawn with a fixed seed; without the data, those only.
Times are of one core. jiwer gets its words joined beforehand, and is called per pair as its manual shows.
Exits with 1 where results differ or a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from pypinyin import Style, lazy_pinyin

from antiphon.bench.metrics.error_rate import error_rate
from antiphon.ids import rng
from antiphon.score import Score
from antiphon.stats import summarise
from antiphon.text.readings import packaged
from antiphon.text.script import is_han
from antiphon.text.syllables import tonal

if TYPE_CHECKING:
    from numpy.random import Generator

ITEMS = 11_115
A_REPLY = 20  # syllables: shorter answers are keywords
GOLDEN_LENGTHS = (231, 76, 99, 197, 190)  # syllables of the published Qwen3-Omni replies
LIMITS = {
    "seconds_11115_pairs": (None, 5.0),
    "times_faster_than_jiwer": (5.0, None),
    "syllables_times_faster_than_lazy_pinyin": (3.0, None),
}
Pair = tuple[list[str], list[str]]


def default_folder() -> Path:
    """The data's folder under $ANTIPHON_DATA, or beside the repository."""
    data = os.environ.get("ANTIPHON_DATA")
    root = Path(data) if data else Path(__file__).resolve().parents[2] / "shared" / "data"
    return root / "vocalbench-zh"


def data_texts(folder: Path) -> list[str]:
    """Of each counted item the longer of question and answer."""
    texts: list[str] = []
    for path in sorted(folder.glob("*.json")):
        if path.stem != "robust_clean":
            for entry in json.loads(path.read_text("utf-8")):
                answer = entry.get("Answer") or entry.get("Answer_zh") or ""
                texts.append(max(entry["Question"], answer, key=len))
    return texts


def made_texts(generator: Generator) -> list[str]:
    """Without the data: phrases of pypinyin's own dictionary, cut and joined to replies' lengths."""
    from pypinyin.phrases_dict import phrases_dict

    phrases = list(phrases_dict)
    return [
        "".join(phrases[at] for at in generator.integers(0, len(phrases), length // 2))[:length]
        for length in generator.choice(GOLDEN_LENGTHS, ITEMS)
    ]


def pairs_of(texts: list[str], generator: Generator) -> list[Pair]:
    """Each text's syllables with a hearing of them: 5 % replaced, 2 % lost, 2 % doubled."""
    known = [tonal("".join(filter(is_han, text))) for text in texts]
    stock = [syllable for units in known for syllable in units]
    pairs: list[Pair] = []
    for units in known:
        if len(units) < A_REPLY:
            start = int(generator.integers(0, len(stock) - max(GOLDEN_LENGTHS)))
            units = stock[start : start + int(generator.choice(GOLDEN_LENGTHS))]
        chance = generator.random(len(units))
        heard: list[str] = []
        for syllable, one in zip(units, chance, strict=True):
            if one < 0.05:
                heard.append(stock[int(one * 1e9) % len(stock)])
            elif one > 0.07:
                heard += [syllable] * (2 if one > 0.98 else 1)
        pairs.append((units, heard))
    return pairs


def scoring(pairs: list[Pair]) -> dict[str, Any]:
    """Rates beside jiwer's, then everything to the summary with its interval."""
    import jiwer

    joined = [(" ".join(one), " ".join(two)) for one, two in pairs]
    began = process_time()
    ours = [error_rate(one, two, "ready").value or 0.0 for one, two in pairs]
    after = process_time()
    theirs = [jiwer.wer(one, two) for one, two in joined]
    jiwer_s = process_time() - after
    rates_s = after - began
    began = process_time()
    rows: list[Score] = []
    for at, (one, two) in enumerate(pairs):
        rate = error_rate(one, two, "ready")
        rows.append(Score(f"item-{at}", "all", "syllable_error_rate", rate.value, float(rate.total)))
    summary = summarise(rows)
    return {
        "seconds_11115_pairs": round(process_time() - began, 3),
        "mean_syllables": round(sum(len(one) for one, _ in pairs) / len(pairs), 1),
        "seconds_rates_only": round(rates_s, 3),
        "seconds_jiwer": round(jiwer_s, 3),
        "times_faster_than_jiwer": round(jiwer_s / rates_s, 1),
        "rates_equal": all(abs(a - b) < 1e-12 for a, b in zip(ours, theirs, strict=True)),
        "pooled_rate": summary.value,
    }


def reading(texts: list[str]) -> dict[str, Any]:
    """Text to tonal syllables, the table's making included, against pypinyin on the same Han."""
    han = ["".join(filter(is_han, text)) for text in texts]
    packaged.cache_clear()
    began = process_time()
    ours = [tonal(text) for text in han]
    after = process_time()
    theirs = [
        lazy_pinyin(text, style=Style.TONE3, errors=list)  # pyright: ignore[reportArgumentType]
        for text in han
    ]
    done = process_time()
    return {
        "seconds_syllables": round(after - began, 3),
        "seconds_lazy_pinyin": round(done - after, 3),
        "syllables_times_faster_than_lazy_pinyin": round((done - after) / (after - began), 1),
        "syllables_equal": ours == theirs,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=default_folder(), metavar="DIR")
    parser.add_argument("--json", action="store_true", help="print one JSON object last")
    options = parser.parse_args()
    if find_spec("jiwer") is None:
        print("jiwer, the other side, is missing: pip install 'antiphon[dev]'", file=sys.stderr)
        return 2
    generator = rng(0, "scoring")
    texts = data_texts(options.data) if options.data.is_dir() else made_texts(generator)
    if len(texts) != ITEMS:
        print(
            f"{options.data} has {len(texts)} items, not {ITEMS}; name the folder with --data",
            file=sys.stderr,
        )
        return 2
    source = "published data" if options.data.is_dir() else "made up, for the data is not here"
    found = {"pairs": ITEMS, "texts": source, **reading(texts), **scoring(pairs_of(texts, generator))}
    for name, value in found.items():
        print(f"{name:<42}{value}")
    missed = [
        name
        for name, (least, most) in LIMITS.items()
        if (least is not None and found[name] < least) or (most is not None and found[name] > most)
    ]
    missed += [name for name in ("rates_equal", "syllables_equal") if not found[name]]
    print(f"missed: {', '.join(missed)}" if missed else "all within limits")
    if options.json:
        print(json.dumps(found))
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())
