"""What a newcomer waits for: a fresh clone, empty caches, `make run`; and the second `make run`.

Clones the repository (its last commit) into a temporary folder, gives it an empty cache, and times each
part: install, download, generate (questions and replies), measure. Takes as long as they take.

    python benchmarks/first_run.py [--keep FOLDER] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = ("whisper-base", "qwen2.5-coder-0.5b", "kokoro", "dnsmos")
LIMITS_S = {"total_s": 15 * 60, "second_run_s": 60}
_STAGE = re.compile(r"^(\w+): \d+/\d+.* in ((?:\d+:)?\d+:\d\d)$", re.MULTILINE)
GENERATE = ("questions", "replies")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, help="clone into this folder and leave it there")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.keep:
        args.keep.mkdir(parents=True)
        found = measure(args.keep.resolve())
    else:
        with tempfile.TemporaryDirectory() as folder:
            found = measure(Path(folder))
    for name, value in found.items():
        limit = f"   limit {LIMITS_S[name]} s" if name in LIMITS_S else ""
        print(f"{name:16} {value:8.1f}{limit}")
    if args.json:
        print(json.dumps(found))
    return int(any(found[name] > limit for name, limit in LIMITS_S.items()))


def measure(folder: Path) -> dict[str, float]:
    """Seconds of each part, in the order in which a newcomer meets them."""
    clone, environ = folder / "antiphon", {**os.environ, "ANTIPHON_CACHE": str(folder / "cache")}
    environ.pop("VIRTUAL_ENV", None)
    _timed(["git", "clone", "--quiet", str(ROOT), str(clone)], folder, environ)
    install_s, _ = _timed(["make", "setup"], clone, environ)
    download_s, _ = _timed([".venv/bin/antiphon", "weights", "fetch", *WEIGHTS], clone, environ)
    run_s, log = _timed(["make", "run"], clone, environ)
    second_s, _ = _timed(["make", "run"], clone, environ)
    stages = {name: _seconds(spent) for name, spent in _STAGE.findall(log)}
    generate_s = sum(stages[name] for name in GENERATE)
    found = {
        "install_s": install_s,
        "download_s": download_s,
        "generate_s": generate_s,
        "measure_s": sum(stages.values()) - generate_s,
        "total_s": install_s + download_s + run_s,
        "second_run_s": second_s,
    }
    return {name: round(value, 1) for name, value in found.items()}


def _timed(command: list[str], folder: Path, environ: dict[str, str]) -> tuple[float, str]:
    began = monotonic()
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return monotonic() - began, done.stdout + done.stderr


def _seconds(clock: str) -> float:
    total = 0.0
    for part in clock.split(":"):
        total = total * 60 + int(part)
    return total


if __name__ == "__main__":
    sys.exit(main())
