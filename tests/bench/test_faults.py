"""What goes wrong in a run: each fault is one clear line or an invalid row, and the run can go on after it."""

from __future__ import annotations

import resource
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.bench.folder import load
from antiphon.bench.takes import Take
from tests.bench.bench_runs import kept, own_suite, row, script
from tests.bench.endpoint import listening
from tests.cli.commands import SCRIPTED, Done, antiphon

pytestmark = pytest.mark.usefixtures("own_cache")


def ask(folder: Path, system: str, *options: str | Path, questions: int = 1, out: str = "run") -> Done:
    """Ask a system the questions of a small suite, all of which "北京" answers."""
    suite = folder / "suite"
    if not suite.exists():
        own_suite(suite, *[{}] * questions)
    return antiphon(
        "run",
        "--suite",
        suite,
        "--speak-missing",
        "--system",
        system,
        *SCRIPTED,
        "--out",
        folder / out,
        *options,
    )


def reasons(folder: Path) -> dict[str, str]:
    return dict(load(folder / "run").failures)


# What is wrong before anything is asked: one line, exit 2, no folder.


@pytest.mark.parametrize(
    ("system", "problem"),
    [
        ("gpt-4o", "'gpt-4o' names no model: write SCHEME:PATH, such as cascade: or whisper:base; "),
        ("nosuch:x", "no chat scheme 'nosuch:'; there are: cascade:, dashscope:, embedded:, "),
        ("whisper:base", "no chat scheme 'whisper:'; there are: cascade:, dashscope:, embedded:, "),
        ("scripted:gone.jsonl", "scripted:gone.jsonl: no script 'gone.jsonl'; write scripted:PATH.jsonl or "),
        ("scripted:echo?sedonds=1", "scripted:echo?sedonds=1: no option 'sedonds'; scripted: takes fail, "),
        ("openai:gpt-4o", "https://api.openai.com/v1 needs a key, and OPENAI_API_KEY is not set; export "),
        (
            "openai+http://h/v1?key=MY_KEY#m",
            "http://h/v1 needs a key, and MY_KEY is not set; export MY_KEY=…",
        ),
    ],
)
def test_a_system_that_cannot_be_is_refused_before_anything_is_written(
    tmp_path: Path, system: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = ask(tmp_path, system)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert done.err.startswith(f"antiphon: {problem}")
    assert not (tmp_path / "run").exists()


def test_a_missing_extra_names_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    done = ask(tmp_path, "scripted:echo", "--transcriber", "whisper:base")
    assert done.code == 2
    assert done.err == "antiphon: the package faster_whisper is missing; pip install 'antiphon[local]'\n"
    assert not (tmp_path / "run").exists()


def test_a_missing_extra_of_a_scorer_leaves_its_metric_unavailable_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    suite = own_suite(tmp_path / "suite", {})
    done = antiphon(
        "run", "--suite", suite, "--speak-missing", "--system", "scripted:echo", *SCRIPTED[:2], *SCRIPTED[4:],
        "--scorer", "distillmos:", "--out", tmp_path / "run",
    )  # fmt: skip
    assert done.code == 0
    found = row(load(tmp_path / "run").scores, "q-0", "distillmos")
    assert (found.value, found.status) == (None, "unavailable")
    assert (found.reason or "").startswith("the package torch is missing; pip install 'antiphon[mos]'")


# What an endpoint can do: each of these is an invalid row with the endpoint's own reason.


def test_nobody_at_the_address_is_said_and_resuming_asks_again(tmp_path: Path) -> None:
    with listening() as endpoint:
        uri = endpoint.uri
    done = ask(tmp_path, uri)
    host = uri.partition("//")[2].partition("/")[0]
    assert done.code == 1
    assert f"nothing answers at {host}; start the server or correct the address (1 attempt)" in done.complaint
    assert done.complaint.endswith("; mend that and add --resume")
    found = row(load(tmp_path / "run").scores, "q-0", "keyword_accuracy")
    assert (found.value, found.status) == (None, "invalid")


def test_every_broken_answer_is_an_invalid_row_and_only_passing_ones_are_asked_again(tmp_path: Path) -> None:
    with listening() as endpoint:
        endpoint.faults = ["500", "garbage", "half", "400"]
        done = ask(tmp_path, endpoint.uri, questions=5)
        assert done.code == 0
        name = load(tmp_path / "run").manifest.system
        final = {
            "q-1": f"{name}: answered with something that is no JSON object: '\\x00� no JSON'",
            "q-3": f"{name}: 400: as the test wants",
        }
        assert reasons(tmp_path) == final | {
            "q-0": f"{name}: 500: as the test wants (1 attempt)",
            "q-2": f"{name}: the stream broke off before the reply ended",
        }
        keyword = next(s for s in load(tmp_path / "run").summaries if s.metric == "keyword_accuracy")
        assert (keyword.value, keyword.n, keyword.invalid) == (1.0, 1, 4)
        assert endpoint.asked.total() == 5
        again = ask(tmp_path, endpoint.uri, "--resume", questions=5)
        assert (again.code, reasons(tmp_path), endpoint.asked.total()) == (0, final, 7)


def test_too_many_requests_are_waited_for(tmp_path: Path) -> None:
    with listening(attempts=2) as endpoint:
        endpoint.faults = ["429"]
        assert ask(tmp_path, endpoint.uri).code == 0
        assert (reasons(tmp_path), endpoint.asked.total()) == ({}, 2)


def test_an_endpoint_that_says_nothing_is_an_invalid_row(tmp_path: Path) -> None:
    with listening() as endpoint:
        endpoint.reply = ""
        done = ask(tmp_path, endpoint.uri)
    assert done.code == 1
    assert reasons(tmp_path)["q-0"].endswith("an empty reply: no text, sound or tool call")


# What a reply can lack.


def test_a_silent_reply_is_heard_as_nothing_and_counts_in_full(tmp_path: Path) -> None:
    write(tmp_path / "silence.wav", Clip([0.0] * 16_000, 16_000))
    system = script(tmp_path / "s.jsonl", {"match": "*", "text": "是北京。", "audio": "silence.wav"})
    assert ask(tmp_path, system, "--transcriber", "scripted:?text=").code == 0
    scores = load(tmp_path / "run").scores
    assert row(scores, "q-0", "syllable_error_rate").value == 1.0
    assert row(scores, "q-0", "keyword_accuracy").value == 1.0
    assert row(scores, "q-0", "keyword_accuracy_s2s").value == 0.0


def test_a_reply_in_words_only_has_no_speech_to_score(tmp_path: Path) -> None:
    with listening() as endpoint:
        ask(tmp_path, endpoint.uri)
    scores = {score.metric: score for score in load(tmp_path / "run").scores}
    speech = ("syllable_error_rate", "keyword_accuracy_s2s", "distillmos", "rtf", "first_audio_s")
    assert {(scores[name].status, scores[name].reason) for name in speech} == {
        ("excluded", "the reply has no speech")
    }
    assert scores["keyword_accuracy"].value == 1.0
    assert (scores["first_token_s"].value or 0) > 0


# What the files can be.


def test_a_corrupt_recording_stops_the_run_until_it_is_mended(tmp_path: Path) -> None:
    suite = own_suite(tmp_path / "suite", {"Audio": "0.wav"}, {"Audio": "1.wav"})
    sound = suite / "audio" / "0.wav"
    write(suite / "audio" / "1.wav", Clip([0.5, -0.5] * 8_000, 16_000))
    sound.write_bytes((suite / "audio" / "1.wav").read_bytes()[:2_000])
    options = ("--suite", suite, "--system", "scripted:echo", *SCRIPTED, "--out", tmp_path / "run")
    done = antiphon("run", *options)
    assert done.code == 2
    assert done.complaint == (
        f"antiphon: 1 questions have no sound; first q-0: {sound}: cut short: 1956 of 32000 bytes of sound "
        "are there; mend it and --resume"
    )
    write(sound, Clip([0.25, -0.25] * 8_000, 16_000))
    assert antiphon("run", *options, "--resume").code == 0
    assert len(load(tmp_path / "run").takes) == 2


@contextmanager
def disk_of(max_bytes: int) -> Generator[None]:
    """No file can grow beyond this: what a full disk does, in one process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    ("max_bytes", "file"),
    [(100, "items.jsonl"), (2_000, "clips/"), (20_000, "clips/"), (40_000, "report/index.html")],
    ids=["at once", "in the questions", "in the replies", "in the report"],
)
def test_a_full_disk_is_one_line_leaves_nothing_half_written_and_can_be_resumed(
    tmp_path: Path, max_bytes: int, file: str
) -> None:
    out = tmp_path / "run"
    own_suite(tmp_path / "suite", {}, {})
    with disk_of(max_bytes):
        done = ask(tmp_path, "scripted:echo", questions=2)
    assert done.code == 1
    assert done.complaint.startswith(f"antiphon: {out / file}")
    assert "not written (File too large)" in done.complaint
    assert "Traceback" not in done.err
    assert [path for path in out.rglob(".*") if path.name != ".lock"] == []
    assert ask(tmp_path, "scripted:echo", "--resume", questions=2).code == 0
    assert ask(tmp_path, "scripted:echo", questions=2, out="undisturbed").code == 0
    assert kept(out) == kept(tmp_path / "undisturbed")


def test_a_cache_that_cannot_be_written_is_one_line_and_the_run_goes_on_with_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening() as endpoint:
        with monkeypatch.context() as patched:
            patched.setenv("ANTIPHON_CACHE", "/dev/null/cache")
            done = ask(tmp_path, endpoint.uri, questions=2)
        assert done.code == 2
        assert done.complaint == (
            "antiphon: the cache /dev/null/cache/replies takes no entry (Not a directory); make room there, "
            "or set ANTIPHON_CACHE to a folder that can be written"
        )
        assert ask(tmp_path, endpoint.uri, "--resume", questions=2).code == 0
    assert len(load(tmp_path / "run").takes) == 2


# What was answered before.


def test_a_reply_is_reused_elsewhere_with_its_times_machine_and_date_and_says_so(tmp_path: Path) -> None:
    with listening() as endpoint:
        ask(tmp_path, endpoint.uri, questions=2, out="first")
        again = ask(tmp_path, endpoint.uri, questions=2, out="second")
        assert endpoint.asked.total() == 2
        ask(tmp_path, endpoint.uri, "--fresh", questions=2, out="third")
        assert endpoint.asked.total() == 4
    first, second, third = (load(tmp_path / name) for name in ("first", "second", "third"))
    assert "Note: 2 of 2 replies are reused, times included; --fresh asks again." in again.out.splitlines()
    for item, take in first.takes.items():
        assert _without_mark(second.takes[item]) == _without_mark(take)
        assert second.takes[item].meta["reused"] is True
        assert "reused" not in third.takes[item].meta
    before, after = (row(run.scores, "q-0", "first_token_s") for run in (first, second))
    assert after.value == before.value
    assert (before.evidence, after.evidence) == ({}, {"reused": True})


def _without_mark(take: Take) -> tuple[object, ...]:
    return take.replies, {key: value for key, value in take.meta.items() if key != "reused"}
