from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from antiphon.envs.results import EnvResults, groups
from antiphon.envs.tables import between, percent, results_table, rewards_table
from antiphon.stats import Summary


def test_numbers_print_with_their_interval_or_say_that_there_is_none():
    def summary(value: float | None, low: float | None = None, high: float | None = None) -> Summary:
        return Summary("pass^1", "all", value, low, high, "none", 0)

    assert (percent(0.6129), percent(None)) == ("61.3", "invalid")
    assert between(summary(0.5, 0.2, 1.0)) == "20.0–100"
    assert between(summary(1.0)) == ""


def printed(results: EnvResults) -> str:
    console = Console(width=100, record=True, highlight=False)
    with console.capture() as captured:
        console.print(results_table(results))
    return captured.get()


def test_the_table_says_what_it_is_of_and_fits_into_100_columns(spoken: EnvResults):
    text = printed(spoken)
    lines = text.splitlines()
    assert lines[:3] == [
        "scripted system: it knows the answers, and its verdicts say nothing about a model",
        "scripted partner",
        "synthetic speech: every turn of the partner is spoken by scripted:",
    ]
    assert max(map(len, lines)) <= 100
    assert "…" not in text.split("Stops:")[0]
    assert any(line.split()[:5] == ["all", "3", "4", "of", "6"] for line in lines)
    assert any(line.split()[:5] == ["negation", "1", "2", "of", "2"] for line in lines)
    assert "Stops: 6 partner hung up" in text
    assert "2 × terminal state: /holds/HD482902 must be {" in text


def test_rewards_are_summed_up_by_level_with_why_some_have_no_value():
    levels = [
        {"level": "dialogue", "rewards": 5, "without": 1, "mean": 0.75, "groups": 2, "telling_groups": 1, "reasons": {"infrastructure": 1}},
        {"level": "milestone", "rewards": 0, "without": 0, "mean": None, "groups": 0, "telling_groups": 0, "reasons": {}},
        {"level": "turn", "rewards": 2, "without": 2, "mean": None, "groups": 0, "telling_groups": 0, "reasons": {"no judge": 2}},
    ]  # fmt: skip
    console = Console(width=100, highlight=False)
    with console.capture() as captured:
        console.print(rewards_table(levels))
    lines = [line.split() for line in captured.get().splitlines()]
    assert ["dialogue", "5", "1", "0.750", "2", "1"] in lines
    assert ["turn", "2", "2", "none", "0", "0"] in lines
    assert not any(line[:1] == ["milestone"] for line in lines)
    assert "1 × dialogue without a value: infrastructure" in captured.get()


def test_a_group_without_a_valid_episode_says_so(spoken: EnvResults):
    one = replace(spoken.verdicts[0], status="invalid", passed=None)
    lost = replace(spoken, groups=tuple(groups([one], 2)))
    row = next(line for line in printed(lost).splitlines() if line.startswith("all"))
    assert row.split()[1:] == ["1", "0", "of", "0", "1", "none", "valid", "too", "few", "too", "few"]
