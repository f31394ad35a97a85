from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antiphon.bench.create.card import card
from antiphon.bench.create.created import Created
from antiphon.bench.create.decisions import Decision, fold
from antiphon.bench.create.draft import Spoken, Step
from antiphon.bench.create.plan import Plan
from antiphon.bench.create.voices import VoiceProfile
from tests.bench.create.studio import draft

if TYPE_CHECKING:
    from pathlib import Path

SPOKEN = Spoken("ab", 60.0, "v", 0, "法国的首都是哪里", True, True, 1)
VOICES = (VoiceProfile("v", "preset", "cd", 2.0), VoiceProfile("w", "prompt", "ef", 2.0, mos=3.72))
MODELS = {
    "models": {"texts by": "qwen|x", "judge": None},
    "made_at": "2026-01-01T00:00:00+00:00",
    "antiphon": "0.1",
    "verdicts": ["knowledge@12"],
}
ONE = draft(id="a", spoken=SPOKEN).stepped(Step("adapt", "qwen", "adapt@1234"))
TWO = draft(id="b", spoken=replace(SPOKEN, identical=False, attempts=3)).marked(
    "voice", "unverified", "UTMOS of v: none"
)
THREE = draft(id="c", spoken=replace(SPOKEN, equal=False)).marked("speech", "review", "x")
FOUR = draft(id="d", subset="single_round")
FIVE = replace(TWO, id="e")


@pytest.fixture
def text(tmp_path: Path) -> str:
    plan = Plan("in/q.jsonl", "trial", licences=("texts: CC0",), meta=MODELS)
    decisions = fold([Decision("e", "accept", "", FIVE.shown), Decision("v", "clean", "")])
    return card(Created(tmp_path, plan, (ONE, TWO, THREE, FOUR, FIVE), VOICES, decisions))


def test_the_card_counts_every_draft_by_what_has_become_of_it(text: str):
    assert "| subset | verified | accepted | unverified | held | rejected |" in text
    assert "| general_knowledge | 1 | 1 | 1 | 1 | 0 |" in text
    assert "| single_round | 0 | 0 | 0 | 1 | 0 |" in text
    assert "| all | 1 | 1 | 1 | 2 | 0 |" in text
    assert "3 spoken questions, 3.0 minutes of synthetic speech" in text


def test_the_card_counts_what_nobody_verified_by_reason(text: str):
    assert "| voice | UTMOS of v | accepted | 1 |" in text
    assert "| voice | UTMOS of v | unverified | 1 |" in text


def test_the_card_names_models_prompts_voices_and_licences(text: str):
    assert "- texts by: `qwen|x`" in text
    assert "- judge: none" in text
    assert "- verdicts under: `knowledge@12`" in text
    assert "| adapt | `adapt@1234` | qwen | 1 |" in text
    assert "| v | preset | not measured | clean | 3 |" in text
    assert "| w | prompt | 3.72 | not listened to | 0 |" in text
    assert "Preset voices stand in for prompt clips" in text
    assert "- texts: CC0" in text
    assert "4 questions: 3 equal in syllables or words, 1 of them in characters too" in text
    assert "- attempts: 2 after 1, 2 after 3" in text


def test_a_card_without_licences_says_that_none_was_stated(tmp_path: Path):
    text = card(Created(tmp_path, Plan("q.jsonl", "trial"), (ONE,), (VOICES[1],), fold([])))
    assert "Not stated: ask whoever made this dataset before using it." in text
    assert "Preset voices" not in text
    assert "Nothing: every check could be made." in text
    assert "Scripted" not in text


def test_a_scripted_dataset_says_so(tmp_path: Path):
    plan = Plan("q.jsonl", "trial", meta={"scripted": True})
    assert "**Scripted**" in card(Created(tmp_path, plan, (ONE,), VOICES, fold([])))
