"""All 11,115 texts of VocalBench-zh in one command, offline: what a run costs, and that a kill costs nothing.

The system and the judge are *scripted* and give no speech, so every metric of sound is without a value; each
question is one fixed clip. One run is left alone; another is killed (-9) in the middle and resumed.

    python benchmarks/full_run.py [--data FOLDER] [--limit N] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import soundfile

DATA = Path(__file__).parents[2] / "shared" / "data" / "vocalbench-zh"
LIMITS = {"cpu_ms_per_item": 3.0, "rss_mb": 300.0}
SYSTEM = [{"match": "*", "text": "这个问题的答案我想是北京，谢谢你的提问。", "end_us": 900_000}]
# The judge answers in the form that each prompt asks for; the first line that fits wins.
JUDGE = [
    {"match": "只写一个词：是 或 否", "text": "是"},
    {"match": "Write one word only: yes", "text": "no"},
    {"match": "方括号", "text": "回答得不错。\n[4]"},
    {"match": "square brackets", "text": "Fine.\n[4]"},
    {"match": "正确", "text": "错误"},
]
SAME = ("items.jsonl", "takes.jsonl", "judgements.jsonl", "scores.jsonl", "summaries.jsonl", "metrics.jsonl")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the published JSON files")
    parser.add_argument("--limit", type=int, help="only the first items")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if not args.data.is_dir():
        print(f"no folder {args.data}; give VocalBench-zh's JSON files with --data", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        found = _measured(Path(folder), args.data, args.limit)
    for name, value in found.items():
        limit = f"   limit {LIMITS[name]:g}" if name in LIMITS else ""
        print(f"{name:20} {value}{limit}")
    if args.json:
        print(json.dumps(found))
    return int(not found["identical"] or any(found[name] > limit for name, limit in LIMITS.items()))


def _measured(folder: Path, data: Path, limit: int | None) -> dict[str, float]:
    command = _command(folder, data, limit)
    began, before = monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "--out", str(folder / "whole")], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=_environment(folder))  # fmt: skip
    wall_s, after = monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    items = _lines(folder / "whole" / "items.jsonl")
    killed = _killed_in_the_middle(folder, command, items)
    return {
        "items": items,
        "cpu_ms_per_item": round(cpu_s * 1e3 / items, 2),
        "rss_mb": round(after.ru_maxrss / 1024, 1),
        "wall_s": round(wall_s, 1),
        "takes_when_killed": killed,
        "identical": all(
            _kept(folder / "whole" / name) == _kept(folder / "killed" / name) for name in SAME
        ),
    }  # fmt: skip


def _killed_in_the_middle(folder: Path, command: list[str], items: int) -> int:
    """Kill a run once half its takes are kept, and resume it; how many takes there were."""
    out = folder / "killed"
    process = subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=_environment(folder))  # fmt: skip
    journal = out / "takes.journal.jsonl"
    while process.poll() is None and _lines(journal) < items // 2:
        sleep(0.02)
    takes = _lines(journal)
    process.send_signal(signal.SIGKILL)
    if process.wait() != -signal.SIGKILL:
        raise SystemExit(f"the run ended before it could be killed, with {takes} takes")
    subprocess.run([*command, "--out", str(out), "--resume"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=_environment(folder))  # fmt: skip
    return takes


def _command(folder: Path, data: Path, limit: int | None) -> list[str]:
    for name, lines in (("system", SYSTEM), ("judge", JUDGE)):
        rows = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(rows, encoding="utf-8")
    _with_one_clip(data, folder / "data")
    return [
        str(Path(sys.executable).with_name("antiphon")), "run", "--suite", "vocalbench-zh", "--data", str(folder / "data"),
        "--system", f"scripted:{folder / 'system.jsonl'}", "--judge", f"scripted:{folder / 'judge.jsonl'}",
        "--transcriber", "scripted:", "--scorer", "scripted:", "--json",
        *(["--limit", str(limit)] if limit else []),
    ]  # fmt: skip


def _with_one_clip(data: Path, folder: Path) -> None:
    """The published texts, and the same tenth of a second of a tone as every question's sound."""
    (folder / "json").mkdir(parents=True)
    clip = folder / "tone.wav"
    soundfile.write(clip, 0.1 * np.sin(np.arange(1600) * 0.2).astype(np.float32), 16_000)
    for path in sorted(data.glob("*.json")):
        (folder / "json" / path.name).write_bytes(path.read_bytes())
        for entry in json.loads(path.read_text(encoding="utf-8")):
            sound = folder / "audio" / entry["Audio"]
            sound.parent.mkdir(parents=True, exist_ok=True)
            if not sound.exists():
                os.link(clip, sound)


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "ANTIPHON_CACHE": str(folder / "cache")}


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.is_file() else 0


def _kept(path: Path) -> list[dict[str, object]]:
    """A file's rows without what differs from run to run: when, and on which machine."""
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [{key: value for key, value in row.items() if key != "meta"} for row in rows]


if __name__ == "__main__":
    sys.exit(main())
