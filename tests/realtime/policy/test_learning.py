from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from antiphon.errors import ConfigError
from antiphon.realtime.acts import lines, stored
from antiphon.realtime.acts.classifier import ACTS
from antiphon.realtime.acts.features import features
from antiphon.realtime.acts.training import SELDOM
from antiphon.realtime.policy.learning import learn
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.policy.vocatives import addressee


def mine(folder: Path) -> Path:
    path = folder / "mine.tsv"
    path.write_text("".join(f"{act}\t{act} zib {n}\n" for act in ACTS for n in "abcdef"), encoding="utf-8")
    return path


def test_lines_of_ones_own_make_a_policy_of_ones_own(tmp_path: Path):
    out = tmp_path / "acts.npz"
    figures = learn([mine(tmp_path)], out, only=True, folds=3)
    assert figures["lines"] == 6 * len(ACTS)
    assert figures["acts"] == dict.fromkeys(ACTS, 6)
    assert figures["held_out"]["n"] == figures["lines"]
    policy = policy_named(f"default?acts={out}")
    assert policy.name == f"default?acts={out}"
    assert policy.words.odds("stop zib")["stop"] > 0.5  # pyright: ignore[reportAttributeAccessIssue]


def test_acts_without_a_line_are_told(tmp_path: Path):
    path = tmp_path / "few.tsv"
    path.write_text("request\tWhat now?\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="no lines for others, acknowledge"):
        learn([path], tmp_path / "a.npz", only=True)


def test_a_place_that_cannot_be_written_is_told_before_learning(tmp_path: Path):
    for out in (tmp_path / "a.txt", tmp_path / "none" / "a.npz"):
        with pytest.raises(ConfigError, match=r"a file that ends in \.npz, in a folder that exists"):
            learn([mine(tmp_path)], out, only=True)


@pytest.mark.parametrize("name", ["scores?acts=x.npz", "default?speed=2", "default?acts=x.npz&more=1"])
def test_only_default_takes_weights_and_nothing_else(name: str):
    with pytest.raises(ConfigError, match="only default takes a part after"):
        policy_named(name)


def test_the_weights_that_ship_are_of_the_lines_that_ship():
    counts = Counter(run for line in lines.ours() for run in features(line.text, addressee(line.text)))
    assert [run for run in stored.ours().rows if counts[run] < SELDOM] == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_lines_that_ship_give_the_weights_that_ship(tmp_path: Path):
    learn([], tmp_path / "again.npz", folds=0)
    again, shipped = stored.load(tmp_path / "again.npz"), stored.ours()
    assert set(again.rows) == set(shipped.rows)
    texts = [line.text for line in lines.ours()[::50]]
    apart = [abs(again.log_odds("others", text) - shipped.log_odds("others", text)) for text in texts]
    assert max(apart) < 0.2
