from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from antiphon import __version__
from antiphon.cli.main import VERBS
from tests.cli.commands import antiphon, start

HEAVY = {
    "numpy",
    "rich",
    "httpx",
    "soundfile",
    "soxr",
    "jinja2",
    "msgspec",
    "torch",
    "onnxruntime",
    "asyncio",
}
PROBE = """
import json, resource, sys
sys.argv = ["antiphon", "--help"]
from antiphon.cli.main import main
try:
    main()
except SystemExit as stop:
    spent = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"code": stop.code, "cpu_s": spent.ru_utime + spent.ru_stime, "loaded": list(sys.modules)}))
"""


def test_help_takes_a_fifth_of_a_second_and_loads_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["code"] == 0
    assert found["cpu_s"] <= 0.2
    assert HEAVY & set(found["loaded"]) == set()
    for verb in VERBS:
        assert f"  {verb} " in done.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(verb: str) -> None:
    done = antiphon(verb, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: antiphon {verb} ")
    assert antiphon(verb, "-h").out == done.out


def test_the_version_is_printed() -> None:
    assert antiphon("--version").out == f"antiphon {__version__}\n"


def test_an_unknown_verb_names_the_others() -> None:
    done = antiphon("evaluate")
    assert done.code == 2
    assert done.err == f"antiphon: no verb 'evaluate'; there are: {', '.join(VERBS)}\n"


def test_an_unknown_option_is_refused_with_a_guess() -> None:
    done = antiphon("run", "--suit", "starter")
    assert done.code == 2
    assert "No such option '--suit'" in done.complaint
    assert "--suite" in done.complaint


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("run --limit x", "Invalid value for '--limit': 'x' is not a valid integer; antiphon run --help"),
        ("score r --scoring bad", "Invalid value for '--scoring': 'bad' is not one of 'strict', 'paper'; antiphon score"),
        ("models list x", "Got unexpected extra argument (x); antiphon models list --help"),
        ("weights fetch", "Missing argument 'NAMES...'; antiphon weights fetch --help"),
        ("weights fetch kokoro --from nowhere", "'--from': Directory 'nowhere' does not exist; antiphon weights"),
        ("serve --port 65536", "'--port': 65536 is not in the range 0<=x<=65535; antiphon serve --help"),
        ("serve --sessions 0", "'--sessions': 0 is not in the range x>=1; antiphon serve --help"),
        ("serve --idle-s 0", "'--idle-s': 0.0 is not in the range x>0; antiphon serve --help"),
        ("judge rate r --port -1", "'--port': -1 is not in the range 0<=x<=65535; antiphon judge rate --help"),
        ("create review c --port 70000", "70000 is not in the range 0<=x<=65535; antiphon create review --help"),
        ("realtime simulate --set fdb-like --error 7", "7.0 is not in the range 0<=x<=1; antiphon realtime simulate"),
        ("judge agreement nowhere", "no run in nowhere: run.json is missing; `antiphon run` makes one"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_argument_is_one_line_with_the_next_step(
    arguments: str, complaint: str
) -> None:
    done = antiphon(*arguments.split())
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert done.err.startswith("antiphon: ")
    assert complaint in done.err


def test_without_a_verb_the_help_is_shown() -> None:
    done = antiphon()
    assert (done.code, "Start with `antiphon run`" in done.out + done.err) == (2, True)


def test_an_output_that_takes_no_more_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from antiphon.cli.main import main; main(['models', 'list'])"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "antiphon: the output: No space left on device\n")


def test_a_reader_that_has_read_enough_is_no_error() -> None:
    process = start("models", "list")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait() == 1
    process.stderr.close()


def test_a_bug_is_not_hidden_behind_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("antiphon.wiring.doctor.findings", broken)
    with pytest.raises(ZeroDivisionError):
        antiphon("doctor")
