from __future__ import annotations

from rich.console import Console

from antiphon.envs.results import EnvResults
from antiphon.envs.tables import between, percent, results_table
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
