from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.judge_bill import Bill, announce, bill
from antiphon.bench.judgements import Case, Jury
from antiphon.bench.stages import Stages
from antiphon.judge.budget import Budget
from antiphon.judge.judge import Ask
from antiphon.judge.prompt import Prompt
from antiphon.stage.map import Settings
from antiphon.stage.progress import Silent
from tests.bench.bench_runs import script

pytestmark = pytest.mark.usefixtures("own_cache")

YES = Prompt("knowledge", "{question}{answer}{response}yes no", ("yes", "no"))
SCORE = Prompt("single_round", "{response}")
PAID = "openai+http://127.0.0.1:9/v1#judge"


def case(item: str, prompt: Prompt, response: str) -> Case:
    return Case(item, "m", Ask(prompt, {"question": "q", "answer": "a", "response": response}))


def test_a_bill_by_hand(tmp_path: Path) -> None:
    # Of three replies one has no words; "qa" + 8 letters + "yes no" are 16 letters, 4 tokens; 8 letters are 2.
    cases = [case("1", YES, "abcdefgh"), case("2", SCORE, "abcdefgh"), case("3", YES, " ")]
    free = script(tmp_path / "free.jsonl", {"match": "*", "text": "yes"})
    jury = Jury((free, PAID), repeat=2, budget=Budget(price=(10.0, 100.0)))
    found = bill(cases, jury)
    assert (found.verdicts, found.calls, found.paid, found.cached, found.refused) == (3, 8, 4, 0, 0)
    assert (found.tokens_sent, found.tokens_given) == (4 * (4 + 2), 4 * (16 + 400))
    assert found.usd == pytest.approx((2 * 6 * 10 + 2 * 416 * 100) / 1e6)
    unpriced = bill(cases, Jury((PAID,)))
    assert (unpriced.usd, bill(cases, Jury((free,))).usd) == (None, 0.0)
    assert "cost: not known; add --price IN,OUT" in unpriced.say()


def test_only_what_is_paid_for_is_announced(tmp_path: Path) -> None:
    free = script(tmp_path / "free.jsonl", {"match": "*", "text": "yes"})
    said: list[str] = []
    stages = Stages(Settings(), lambda _: Silent(), say=said.append)
    announce([case("1", YES, "b")], Jury((free,)), stages)
    announce([case("1", YES, "b")], Jury((PAID,)), Stages(Settings(), lambda _: Silent()))
    assert said == []
    announce([case("1", YES, "b")], Jury((PAID,)), stages)
    assert said[0].startswith("judge: ")
    assert "\n1 verdicts: 1 calls; about 2 tokens in, at most 16 out; cost: not known" in said[0]


def test_a_bill_says_what_it_leaves_out() -> None:
    text = Bill("j", 9, 4, 3, 2, 4, 100, 64, 0.125).say()
    assert text == (
        "judge: j\n9 verdicts: 4 calls, 3 answers are in the cache, 2 are of a kind that a judge here does "
        "not answer; about 100 tokens in, at most 64 out; cost: up to about 0.12 USD"
    )
