"""The checks of `make check` bite: each violation planted here is caught by the rule that is meant to catch it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import pytest_socket

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent

DOWN = "Imports go down only; siblings do not know each other"
CYCLES = "No cycles between siblings"
RECORDS = "Records do no input or output"
WIRE = "Wire codecs do no input or output"
ENGINE = "The engine does no input or output"
METRICS = "Metrics are pure"
ADAPTERS = "A model's library is known to its adapter only"
OWNERS = "A heavy library has one owner"

PLANTED_IMPORTS = {
    "a lower layer imports a higher one": ({"audio/planted.py": "import antiphon.stage.outcome"}, {DOWN}),
    "one sibling imports another": ({"judge/planted.py": "import antiphon.report.tables"}, {DOWN}),
    "an environment imports a benchmark": (
        {"envs/planted.py": "import antiphon.bench.items"},
        {DOWN},
    ),
    "a new module has no place in the layers": ({"planted.py": ""}, {DOWN}),
    "two modules import each other": (
        {"text/planted.py": "import antiphon.text.twin", "text/twin.py": "import antiphon.text.planted"},
        {CYCLES},
    ),
    "a cycle is for types only": (
        {
            "text/planted.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import antiphon.text.twin",
            "text/twin.py": "import antiphon.text.planted",
        },
        {CYCLES},
    ),
    "a record reaches the event loop through another module": (
        {"text/planted.py": "import asyncio", "score.py": "import antiphon.text.planted"},
        {RECORDS},
    ),
    "a codec opens a connection": ({"models/wire/planted.py": "def f():\n    import httpx"}, {WIRE}),
    "the engine reads a clock": ({"realtime/engine/engine.py": "import antiphon.clock"}, {ENGINE}),
    "a metric asks a model": ({"bench/metrics/planted.py": "import antiphon.models.ports"}, {METRICS}),
    "a metric loads torch, late": ({"bench/metrics/planted.py": "def f():\n    import torch"}, {ADAPTERS}),
    "a port loads a runtime": ({"models/planted.py": "from onnxruntime import InferenceSession"}, {ADAPTERS}),
    "a stranger uses ray": ({"bench/planted.py": "def f():\n    import ray.data"}, {OWNERS}),
}

PLANTED_LINES = {
    "print": ("print(1)", {"T201"}),
    "wall_clock": ("import time\n\nNOW = time.time()", {"TID251"}),
    "sleep": ("import time\n\ntime.sleep(1)", {"TID251"}),
    "sleep_in_async": (
        "import time\n\n\nasync def f() -> None:\n    time.sleep(1)", {"TID251", "ASYNC251"},
    ),
    "mock": ("from unittest.mock import Mock\n\nMock()", {"TID251"}),
    "randomness": ("import random\n\nX = random.random()", {"TID251"}),
    "blind_except": (
        "def f() -> int:\n    try:\n        return 1\n    except Exception:\n        return 0", {"BLE001"},
    ),
    "dead_code": ("# x = f(1)\n# return x", {"ERA001"}),
    "naive_date": ("from datetime import datetime\n\nNOW = datetime.now()", {"DTZ005"}),
    "dropped_task": (
        "import asyncio\n\n\nasync def f() -> None:\n    asyncio.create_task(f())", {"RUF006"},
    ),
    "vague_error": ('def f() -> None:\n    raise Exception("no")', {"TRY002"}),
    "os_path": ('import os\n\nX = os.path.exists("a")', {"PTH110"}),
    "relative_import": ("from . import print as planted\n\nX = planted", {"TID252"}),
    "eight_arguments": (
        "def f(a: int, b: int, c: int, d: int, e: int, f: int, *, g: int, h: int) -> None: ...", {"PLR0913"},
    ),
    "tangle": (
        "def f(x: int) -> int:\n" + "".join(f"    if x > {n}:\n        x += {n}\n" for n in range(11)) + "    return x",
        {"C901"},
    ),
    "no_docstring": (None, {"D100"}),
}  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the sources and of their rules."""
    return _copy(tmp_path)


@pytest.fixture(scope="module")
def broken_before(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The contracts that the sources break as they are."""
    return _broken_contracts(_copy(tmp_path_factory.mktemp("sources")))


def _copy(folder: Path) -> Path:
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "README.md").touch()
    return folder


def _run(tree: Path, tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(
        [BIN / tool, *arguments], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )


def _plant(tree: Path, files: dict[str, str]) -> None:
    for name, source in files.items():
        path = tree / "src" / "antiphon" / name
        before = path.read_text(encoding="utf-8") if path.exists() else '"""Planted."""\n'
        path.write_text(f"{before}\n{source}\n", encoding="utf-8")


def _broken_contracts(tree: Path) -> set[str]:
    done = _run(tree, "lint-imports", "--no-cache")
    verdicts = re.findall(r"^(.+?) (KEPT|BROKEN)\b", done.stdout, re.MULTILINE)
    assert verdicts, done.stdout + done.stderr
    broken = {name for name, verdict in verdicts if verdict == "BROKEN"}
    assert done.returncode == (1 if broken else 0)
    return broken


def test_the_sources_as_they_are_break_no_contract(broken_before: set[str]):
    assert broken_before == set()


@pytest.mark.parametrize("violation", PLANTED_IMPORTS)
def test_a_planted_import_breaks_its_contract(tree: Path, broken_before: set[str], violation: str):
    files, contracts = PLANTED_IMPORTS[violation]
    _plant(tree, files)
    assert _broken_contracts(tree) - broken_before == contracts


def test_each_contract_has_its_planted_violation():
    names = set(
        re.findall(r'^name = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    )
    caught = set().union(*(contracts for _, contracts in PLANTED_IMPORTS.values()))
    assert names - {"antiphon"} == caught


def test_a_planted_line_breaks_its_rule(tree: Path):
    folder = tree / "src" / "antiphon" / "planted"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""Planted."""\n')
    for name, (source, _) in PLANTED_LINES.items():
        (folder / f"{name}.py").write_text("X = 1\n" if source is None else f'"""Planted."""\n\n{source}\n')
    done = _run(
        tree, "ruff", "check", "--no-cache", "--output-format", "json", "--ignore", "I001", str(folder)
    )
    caught: dict[str, set[str]] = {name: set() for name in PLANTED_LINES}
    for finding in json.loads(done.stdout):
        caught[Path(finding["filename"]).stem].add(finding["code"])
    assert caught == {name: codes for name, (_, codes) in PLANTED_LINES.items()}
    assert done.returncode == 1


def test_an_untyped_function_is_an_error(tree: Path):
    _plant(tree, {"planted.py": "def f(x):\n    return x.y"})
    place = tree / "src" / "antiphon" / "planted.py"
    done = _run(tree, "pyright", "--pythonpath", sys.executable, "--outputjson", str(place))
    rules = {finding["rule"] for finding in json.loads(done.stdout)["generalDiagnostics"]}
    assert {"reportUnknownParameterType", "reportMissingParameterType"} <= rules
    assert done.returncode == 1


def test_an_undeclared_dependency_is_an_error(tree: Path):
    before = _run(tree, "deptry", ".")
    _plant(tree, {"planted.py": "import bs4"})
    after = _run(tree, "deptry", ".")
    assert (before.returncode, after.returncode) == (0, 1), before.stderr
    assert "'bs4' imported but" in after.stderr


def test_a_dead_argument_is_an_error(tree: Path):
    _plant(tree, {"planted.py": "def f(kept: int, dead: int) -> int:\n    return kept"})
    done = _run(tree, "vulture")
    assert "src/antiphon/planted.py:3: unused variable 'dead' (100% confidence)\n" in done.stdout
    assert done.returncode == 3


def test_a_test_reaches_no_host_but_this_one():
    blocked = pytest.raises(pytest_socket.SocketConnectBlockedError)
    with socket.socket() as outside, pytest.warns(UserWarning, match=r"203\.0\.113\.1"), blocked:
        outside.connect(("203.0.113.1", 9))  # RFC 5737: an address of documentation
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        assert client.getpeername() == server.getsockname()


def test_a_warning_is_an_error():
    with pytest.raises(UserWarning, match=r"^careless$"):
        warnings.warn("careless", stacklevel=1)
