from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.choose import choose
from antiphon.bench.folder import RunFolder, load
from antiphon.bench.pages import write
from antiphon.bench.run import Plan, run
from antiphon.bench.speech import run_speech
from antiphon.bench.suite import Selection
from antiphon.bench.takes import Instruments
from antiphon.clock import RealClock
from antiphon.errors import ConfigError
from antiphon.realtime.sets.run import Config, perform, report
from antiphon.realtime.simulation.recorded import read
from antiphon.stage.progress import Silent
from antiphon.wiring.open_sets import open_suite, open_virtual, theatre
from antiphon.wiring.simulate import Sound, Studio, perform_real
from tests.cli.commands import antiphon

if TYPE_CHECKING:
    from collections.abc import Sequence

REAL = (
    "engine:?observations=real&synthesizer=scripted:%3Frate_hz=16000&transcriber=scripted:%3Ftext=What is it%3F"
    "&vad=energy&room_db=-70&recogniser_ms=200-400"
)


def done(out: Path, system: str, subsets: Sequence[str], *, limit: int, seed: int = 0) -> RunFolder:
    suite = open_suite(Selection(subsets=tuple(subsets)), seed)
    plan = Plan(
        suite,
        system,
        RunFolder(out),
        Instruments("", ()),
        seed=seed,
        limit=limit,
        resume=out.exists(),
        venue=theatre(),
    )
    return asyncio.run(run(plan, lambda _: Silent()))


def counts(folder: RunFolder, metric: str, subset: str) -> tuple[float | None, int, int]:
    found = next(
        each for each in load(folder.path).summaries if (each.metric, each.subset) == (metric, subset)
    )
    return None if found.value is None else round(found.value, 4), found.n, found.excluded


def rate(row: dict[str, Any]) -> tuple[float | None, int, int]:
    return row["rate"], row["n"], row.get("unjudgeable", 0)


def logs(folder: RunFolder, sessions: Sequence[str]) -> str:
    """The hash of event logs as kept, their headers left out: what `simulate` prints."""
    digest = hashlib.sha256()
    for name in sessions:
        digest.update((folder.path / "sessions" / f"{name}.jsonl").read_bytes().partition(b"\n")[2])
    return digest.hexdigest()


@pytest.mark.parametrize(
    ("set_", "sessions", "points", "seed", "observations", "error"),
    [
        ("multi-party", 6, 7, 3, "noisy", 0.1),
        ("semantic-control", 6, 3, 1, "oracle", 0.05),
        ("semantic-control", 6, 3, 1, "noisy", 0.2),
    ],
)
def test_a_run_and_a_simulation_of_one_seed_give_the_same_figures_and_the_same_log(
    tmp_path: Path, set_: str, sessions: int, points: int, seed: int, observations: str, error: float
):
    config = Config(set_, sessions, seed, observations, error)
    told = report(config, list(perform(config)))
    system = f"engine:?observations={observations}" + (f"&error={error}" if observations == "noisy" else "")
    folder = done(tmp_path / "run", system, [set_], limit=sessions * points, seed=seed)
    assert counts(folder, "point_pass", set_) == rate(told["point_level"])
    assert counts(folder, "session_pass", set_)[:2] == rate(told["session_level"])[:2]
    for task, row in told["tasks"].items():
        assert counts(folder, "point_pass", f"{set_}: {task}")[:2] == rate(row)[:2]
    assert logs(folder, [f"{set_}-{number}" for number in range(sessions)]) == told["event_log_sha256"]


def test_the_kinds_of_fdb_like_are_subsets_with_the_rates_of_the_simulation(tmp_path: Path):
    config = Config("fdb-like", 40, 0, "noisy", 0.2)
    told = report(config, list(perform(config)))
    folder = done(tmp_path / "run", "engine:?observations=noisy&error=0.2", ["fdb-like"], limit=40)
    for task, row in told["tasks"].items():
        subset = task.replace(" ", "-")
        assert counts(folder, "point_pass", subset)[:2] == rate(row)[:2]
        for name in ("respond", "resume", "uncertain", "unknown"):
            assert counts(folder, f"did_{name}", subset)[0] == row[name]["rate"]


def test_the_whole_sets_have_their_sizes():
    items = open_suite(Selection(), 0).items
    sizes = {
        subset: sum(item.subset == subset for item in items) for subset in {item.subset for item in items}
    }
    assert sizes == {
        "multi-party": 700, "semantic-control": 300, "interruption": 200, "backchannel": 99, "talking-to-others": 100,
        "background-speech": 100,
    }  # fmt: skip
    assert {item.subset for item in open_suite(Selection(subsets=("backchannel",)), 0).items} == {
        "backchannel"
    }
    assert open_suite(Selection(), 0).items == open_suite(Selection(), 0).items
    assert open_suite(Selection(), 0).items != open_suite(Selection(), 1).items


def test_baselines_that_always_or_never_answer_fail(tmp_path: Path):
    for policy, subset in (("always-answer", "backchannel"), ("never-answer", "interruption")):
        folder = done(tmp_path / policy, f"engine:?policy={policy}", [subset], limit=8)
        assert counts(folder, "point_pass", subset) == (0.0, 8, 0)


def test_a_run_goes_on_where_it_was_and_its_rows_are_those_of_an_undisturbed_one(tmp_path: Path):
    whole = done(tmp_path / "whole", "engine:", ["multi-party"], limit=14)
    parts = done(tmp_path / "parts", "engine:", ["multi-party"], limit=3)
    assert counts(parts, "session_pass", "multi-party") == (None, 0, 0)
    done(tmp_path / "parts", "engine:", ["multi-party"], limit=14)
    assert parts.takes.read_bytes() == whole.takes.read_bytes()
    assert parts.scores.read_bytes() == whole.scores.read_bytes()
    assert run_speech(load(whole.path)) == "text only"
    log = read(whole.path / "sessions" / "multi-party-0.jsonl")  # what `antiphon realtime replay` takes
    assert (log.header.session, log.header.scripted) == ("multi-party-0", True)
    page = write(load(whole.path)).read_text("utf-8")
    assert "scripted: engine in virtual time, policy default, observations oracle, our phrases" in page
    assert "Sessions passed" in page


@pytest.mark.usefixtures("own_cache")
def test_sessions_that_are_heard_are_those_of_the_simulation(tmp_path: Path):
    config = Config("fdb-like", 2, observations="real")
    sound = Sound(
        "scripted:?rate_hz=16000", (), 1.0, -70.0, "scripted:?text=What is it?", "200-400", vad="energy"
    )
    told = report(config, list(perform_real(config, Studio(sound, 0, RealClock()))))
    folder = done(tmp_path / "run", REAL, ["fdb-like"], limit=2)
    assert counts(
        folder, "point_pass", "all" if len(told["tasks"]) > 1 else next(iter(told["tasks"]))
    ) == rate(told["point_level"])
    assert logs(folder, ["fdb-like-0", "fdb-like-1"]) == told["event_log_sha256"]
    name = load(folder.path).manifest.system
    assert "observations real" in name
    assert "recogniser_ms 200-400" in name
    assert "vad energy" in name
    assert run_speech(load(folder.path)) == "synthetic"


@pytest.mark.parametrize(
    ("system", "problem"),
    [
        (
            "cascade:",
            "cascade:: the open sets are sessions of our engine, the model's words scripted; write engine:",
        ),
        ("engine:?observations=magic", "no kind of observations 'magic'; there are: noisy, oracle, real"),
        ("engine:?policy=kind", "no turn policy 'kind'"),
        ("engine:?policy=semantic", "asks a chat model, and the model here is scripted"),
        ("engine:?observations=noisy&error=2", "error is a share from 0 to 1"),
        ("engine:?error=0.1", "and only of observations=noisy"),
        ("engine:?observations=noisy&error=much", "error must be a number, not 'much'"),
        ("engine:?vad=energy", "vad: only with observations=real, not oracle"),
        ("engine:?color=red", "no option 'color'"),
    ],
)
def test_what_cannot_be_performed_is_said_in_a_line(system: str, problem: str):
    with pytest.raises(ConfigError, match=problem.replace("?", r"\?")):
        open_virtual(None, system, RealClock())


def test_an_unknown_subset_is_refused_with_the_choices():
    with pytest.raises(
        ConfigError, match="no subset 'party'; there are: backchannel, background-speech, fdb-like, int"
    ):
        open_suite(Selection(subsets=("party",)), 0)


def test_the_limit_takes_points():
    items = open_suite(Selection(), 0).items
    assert {item.cluster for item in choose(items, 8, balanced=False)} == {"multi-party-0", "multi-party-1"}


def test_the_command_line_has_them(tmp_path: Path):
    phrases = tmp_path / "phrases.json"
    phrases.write_text(json.dumps({"en": {"backchannels": ["Oh, lovely."]}}), encoding="utf-8")
    out = tmp_path / "run"
    open_ = ("run", "--suite", "full-duplex", "--version", "open", "--out", out, "--json")
    ran = antiphon(*open_, "--subset", "backchannel", "--limit", "3", "--data", phrases)
    assert ran.code == 0
    row = next(each for each in ran.json["summaries"] if each["metric"] == "point_pass")
    assert (row["subset"], row["n"]) == ("backchannel", 3)
    results = load(out)
    assert {item.question for item in results.items} == {"Oh, lovely."}
    assert ", phrases " in results.manifest.system
    assert results.manifest.system_uri == "engine:"
    heard = antiphon(*open_, "--transcriber", "scripted:")
    assert heard.code == 2
    assert heard.complaint.startswith(
        "antiphon: --transcriber: full-duplex open is judged from the event log"
    )
    other = antiphon(
        *open_, "--resume", "--subset", "backchannel", "--limit", "3", "--seed", "1", "--data", phrases
    )
    assert other.code == 2
    assert "are not what they were when this run began" in other.complaint
