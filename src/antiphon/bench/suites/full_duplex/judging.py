"""What judges are asked about full-duplex takes, and what their numbers mean. The prompts are ours."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.judge.judge import Ask
from antiphon.judge.prompt import Prompt, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.suite import Evidence

PROMPTS = Path(__file__).parent / "prompts"
BEHAVIOURS = ("respond", "resume", "uncertain", "unknown")  # [1] to [4]


@lru_cache
def prompt(name: str, choices: tuple[str, ...] = (), bottom: int = 1, top: int = 5) -> Prompt:
    """A prompt; a number is asked for from `bottom` to `top`."""
    return replace(read(PROMPTS / f"{name}.txt", choices, top), bottom=bottom)


def ask_rating(evidence: Evidence, response: str) -> Ask:
    """How well an answer fits the interruption, 0 to 5."""
    extra = evidence.item.extra
    fields = {"history": str(extra["context"]), "question": str(extra["interrupt"]), "response": response}
    return Ask(prompt("interruption", bottom=0), fields)


def ask_behaviour(history: str, overlap: str, response: str) -> Ask:
    """How the agent handled an overlap, 1 to 4. `history`: who said what without it, and before it."""
    fields = {"history": history, "question": overlap, "response": response}
    return Ask(prompt("behaviour", top=len(BEHAVIOURS)), fields)


def ask_arguments(expected: str, response: str, calls: int) -> Ask:
    """How many of the expected calls have right arguments, 0 to `calls`."""
    return Ask(prompt("arguments", bottom=0, top=calls), {"answer": expected, "response": response})


def ask_response(evidence: Evidence, response: str) -> Ask:
    """Whether what was said shows that the task was done."""
    fields = {"question": evidence.item.question, "answer": evidence.item.answer or "", "response": response}
    return Ask(prompt("response", ("yes", "no")), fields)


def ask_filler(response: str) -> Ask:
    """Whether words that only fill time come before the substance."""
    return Ask(prompt("filler", ("yes", "no")), {"response": response})


def ask_key_information(evidence: Evidence, words: Sequence[str]) -> Ask:
    """Which word begins what answers: 1 for the first, 0 for none."""
    numbered = " ".join(f"{place}:{word}" for place, word in enumerate(words, start=1))
    fields = {"question": evidence.item.question, "response": numbered}
    return Ask(prompt("key_information", bottom=0, top=len(words)), fields)
