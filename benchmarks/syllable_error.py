"""Do our syllable error rates equal VocalBench-zh's published ones, item by item, to 1e-12?"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from antiphon.bench.metrics.syllable_error import syllable_error

SAME = 1e-12
GOLDEN = Path("vocalbench-zh") / "model-output-qwen3-omni"


def default_folder() -> Path:
    """The golden folder under $ANTIPHON_DATA, or beside the repository."""
    data = os.environ.get("ANTIPHON_DATA")
    root = Path(data) if data else Path(__file__).resolve().parents[2] / "shared" / "data"
    return root / GOLDEN


def differences(folder: Path) -> list[dict[str, object]]:
    """One row an item that has both a transcript (asr.json) and a published rate (result.json)."""
    heard = {row["Qid"]: row for row in json.loads((folder / "asr.json").read_text("utf-8"))}
    rows: list[dict[str, object]] = []
    for published in json.loads((folder / "result.json").read_text("utf-8")):
        row = heard[published["Qid"]]
        paper = syllable_error(row["Response"], row["Response_hyp"], "paper")
        strict = syllable_error(row["Response"], row["Response_hyp"], "strict")
        if paper.value is None:
            raise SystemExit(f"{published['Qid']}: {paper.reason}, yet a rate was published")
        rows.append({
            "item": published["Qid"],
            "published": published["PER"],
            "paper": paper.value,
            "difference": abs(paper.value - published["PER"]),
            "errors": paper.errors,
            "total": paper.total,
            "strict": strict.value,
        })  # fmt: skip
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--golden", type=Path, default=default_folder(), metavar="DIR")
    parser.add_argument("--json", action="store_true", help="print one JSON object last")
    options = parser.parse_args()
    started = time.perf_counter()
    try:
        rows = differences(options.golden)
    except FileNotFoundError as error:
        print(f"{error.filename}: no such file; name the folder with --golden DIR", file=sys.stderr)
        return 2
    if not rows:
        print(f"{options.golden}: result.json holds no item", file=sys.stderr)
        return 2
    worst = max(float(str(row["difference"])) for row in rows)
    print(f"{'item':<26}{'published':>11}{'paper':>11}{'errors':>8}{'of':>6}{'strict':>11}{'difference':>12}")
    for row in rows:
        print(
            f"{row['item']:<26}{row['published']:>11.6f}{row['paper']:>11.6f}{row['errors']:>8}"
            f"{row['total']:>6}{row['strict']:>11.6f}{row['difference']:>12.1e}"
        )
    print(f"largest difference {worst:.1e}: {'equal' if worst <= SAME else 'NOT equal'} within {SAME:g}")
    if options.json:
        seconds = round(time.perf_counter() - started, 3)
        print(json.dumps({"max_abs_difference": worst, "items": len(rows), "seconds": seconds}))
    return 0 if worst <= SAME else 1


if __name__ == "__main__":
    raise SystemExit(main())
