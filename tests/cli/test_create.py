from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.bench.create.created import dataset_path, load
from antiphon.bench.create.decisions import Decision, log_path
from antiphon.report.local_app import open_log
from tests.bench.create.studio import plan
from tests.cli.commands import antiphon

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("own_cache")


def options(folder: Path) -> list[str]:
    wanted = plan(folder)
    return [
        wanted.source, "--out", str(folder / "out"), "--chat", wanted.chat, "--judge", str(wanted.judge),
        "--synthesizer", "scripted:", "--transcriber", "scripted:", "--names", str(wanted.names),
    ]  # fmt: skip


def test_a_creation_ends_with_counts_and_the_next_step(tmp_path: Path):
    done = antiphon("create", "run", *options(tmp_path), "--name", "mine", "--licence", "texts: CC0")
    assert done.code == 0
    assert [line.split() for line in done.out.splitlines()[1:6]] == [
        ["verified", "0"], ["accepted", "0"], ["unverified", "4"], ["held", "0"], ["rejected", "0"],
    ]  # fmt: skip
    out = tmp_path / "out"
    assert f"Review: antiphon create review {out} --open" in done.out
    assert f"antiphon run --suite {dataset_path(out)}" in done.out
    assert load(out).plan.name == "mine"
    assert "- texts: CC0" in (dataset_path(out) / "README.md").read_text("utf-8")


def test_resuming_asks_for_nothing_and_applies_decisions(tmp_path: Path):
    out = tmp_path / "out"
    antiphon("create", "run", *options(tmp_path))
    seen = {draft.id: draft.shown for draft in load(out).drafts}
    with open_log(log_path(out), Decision) as log:
        log.append(Decision("q1", "accept", "2026-01-01T00:00:00+00:00", seen["q1"]))
    done = antiphon("create", "resume", out, "--json")
    assert done.json == {
        "dataset": str(dataset_path(out)), "verified": 0, "accepted": 1, "unverified": 3, "held": 0, "rejected": 0,
    }  # fmt: skip


def test_without_a_judge_nobody_guesses(tmp_path: Path):
    done = antiphon("create", "run", *options(tmp_path), "--judge", "none", "--json")
    assert done.json["unverified"] == 4
    kept = {draft.id: draft for draft in load(tmp_path / "out").drafts}
    assert kept["q3"].marks[0].reason.startswith("no judge was given")


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--skip", "check"], "antiphon: --skip check: only entities and adapt can be left out"),
        (["--scorer", "scripted:?names=dnsmos"], "antiphon: --scorer scripted:?names=dnsmos gives dnsmos: neither UTMOS"),
        (["--chat", "nobody:"], "antiphon: no chat scheme 'nobody:'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_before_anything_is_written(tmp_path: Path, more: list[str], complaint: str):
    done = antiphon("create", "run", *options(tmp_path), *more)
    assert done.code == 2
    assert done.complaint.startswith(complaint)
    assert not (tmp_path / "out").exists()


def test_a_folder_without_a_creation_is_refused(tmp_path: Path):
    for verb in ("resume", "review"):
        done = antiphon("create", verb, tmp_path)
        assert (done.code, "create.json is missing" in done.complaint) == (2, True)
