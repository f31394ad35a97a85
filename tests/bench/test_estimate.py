from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from antiphon.bench.catalog import open_suite
from antiphon.bench.estimate import Estimate, estimate, price
from antiphon.bench.folder import RunFolder
from antiphon.bench.run import Plan
from antiphon.bench.suite import Selection
from antiphon.bench.takes import Instruments
from antiphon.errors import ConfigError
from tests.bench.bench_runs import own_suite

UNJUDGED = Instruments()
JUDGED = Instruments(judge="openai:gpt-judge")


def plan_for(folder: Path, system: str, instruments: Instruments = UNJUDGED) -> Plan:
    """One question of 8 characters, which is 5 tokens, and replies of at most 60."""
    suite = open_suite(
        str(own_suite(folder, {"Question": "中国的首都在哪？"})), Selection(speak_missing=True)
    )
    return Plan(replace(suite, max_tokens=60), system, RunFolder(folder / "run"), instruments)


def test_a_question_and_its_reply_cost_their_tokens(tmp_path: Path) -> None:
    found = estimate(plan_for(tmp_path, "openai:gpt"), (2.0, 10.0))
    assert found.usd == pytest.approx((5 * 2.0 + 60 * 10.0) / 1e6)
    assert found == Estimate(
        tmp_path.name, "openai:gpt", {"general_knowledge": 1}, 1, 1, None, 0, 0, found.usd
    )


def test_a_judge_costs_what_it_reads_and_writes(tmp_path: Path) -> None:
    free = estimate(plan_for(tmp_path, "cascade:", JUDGED), (0.0, 10.0))
    assert (free.judge_calls, free.usd) == (1, pytest.approx(16 * 10.0 / 1e6))  # one word at most
    read = estimate(plan_for(tmp_path, "cascade:", JUDGED), (1.0, 0.0))
    assert read.usd == pytest.approx((read.judge_tokens - 16) / 1e6, rel=0.01)
    assert read.judge_tokens > 60 + 5  # the prompt holds the reply and the question


def test_a_panel_is_asked_as_often_as_it_has_members_and_repetitions(tmp_path: Path) -> None:
    panel = Instruments(judge="openai:gpt-judge", panel=("embedded:",), repeat=3)
    found = estimate(plan_for(tmp_path, "cascade:", panel), (0.0, 10.0))
    one = estimate(plan_for(tmp_path, "cascade:", JUDGED), (0.0, 10.0))
    assert (found.judge_calls, found.judge_tokens) == (6, 6 * one.judge_tokens)
    assert found.usd == pytest.approx(3 * 16 * 10.0 / 1e6)  # the embedded one is free
    assert found.seconds is not None
    assert one.seconds is not None
    assert found.seconds == pytest.approx(one.seconds + 2 * 3.0)


def test_without_a_price_only_what_runs_here_is_known_to_be_free(tmp_path: Path) -> None:
    embedded = Instruments(judge="embedded:")
    costs = {
        (system, instruments.judge): estimate(plan_for(tmp_path, system, instruments), None).usd
        for system in ("cascade:", "openai:gpt")
        for instruments in (UNJUDGED, embedded, JUDGED)
    }
    assert costs == {
        ("cascade:", None): 0.0,
        ("cascade:", "embedded:"): 0.0,
        ("cascade:", "openai:gpt-judge"): None,
        ("openai:gpt", None): None,
        ("openai:gpt", "embedded:"): None,
        ("openai:gpt", "openai:gpt-judge"): None,
    }


def test_what_runs_here_is_free_at_any_price(tmp_path: Path) -> None:
    assert estimate(plan_for(tmp_path, "cascade:", Instruments(judge="embedded:")), (9.0, 9.0)).usd == 0.0


def test_time_is_known_for_the_embedded_system_only(tmp_path: Path) -> None:
    plain = estimate(plan_for(tmp_path, "cascade:"), None).seconds
    judged = estimate(plan_for(tmp_path, "cascade:", Instruments(judge="embedded:")), None).seconds
    assert plain is not None
    assert 10 < plain < 120
    assert judged == plain + 3.0
    assert estimate(plan_for(tmp_path, "openai:gpt"), None).seconds is None


def test_an_estimate_reads_well_and_parses(tmp_path: Path) -> None:
    found = estimate(plan_for(tmp_path, "openai:gpt", JUDGED), (1.0, 1.0))
    assert found.say(as_json=False).splitlines() == [
        f"{tmp_path.name} with openai:gpt: 1 items",
        "      1  general_knowledge",
        "questions to speak: 1",
        "time: unknown (depends on the endpoint)",
        f"judge: up to 1 calls, about {found.judge_tokens} tokens",
        "cost: up to 0.00 USD",
    ]
    assert json.loads(found.say(as_json=True))["usd"] == found.usd


def test_a_price_is_two_numbers() -> None:
    assert price("2.5,10") == (2.5, 10.0)
    assert price(None) is None


@pytest.mark.parametrize("text", ["", "5", "1,2,3", "a,b", "nan,1", "1,inf", "-1,2"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^--price takes two numbers, USD per million tokens in and out"):
        price(text)
