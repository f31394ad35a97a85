"""Opens a judge by name: `embedded:`, or any chat model's URI."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.errors import ConfigError
from antiphon.judge.judge import Judge
from antiphon.judge.panel import Panel
from antiphon.models.catalog import open_chat
from antiphon.models.uri import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.clock import Clock
    from antiphon.judge.budget import Budget
    from antiphon.judge.judge import Answers

EMBEDDED = "llama:qwen2.5-coder-1.5b"
# Right on 12 of 20 yes/no pairs, where chance gives 10: no judge at all.
TOO_WEAK = ("llama:", "llama:qwen2.5-coder-0.5b")
UNPAID = ("embedded", "llama", "scripted")
REPEATED_TEMPERATURE = 0.7  # at 0 a repetition could only repeat itself


def open_judge(text: str, clock: Clock, answers: Answers | None = None) -> Judge:
    """The judge that a URI names. The embedded one compares a fact with a reference, yes or no, and nothing
    else: its free scores were measured and found unreliable, and of eight riddles answered wrong it passed all.

    Raises ConfigError for a name that is none, or a model that gives no text.
    """
    uri = parse(text)
    embedded = uri.scheme == "embedded"
    if embedded and (uri.path or uri.options):
        raise ConfigError(f"{text}: embedded: takes no more words; for another model give its URI")
    if f"{uri.scheme}:{uri.path}" in TOO_WEAK:
        raise ConfigError(f"{text} judges no better than chance; use embedded: or another model")
    chat = open_chat(EMBEDDED if embedded else text, clock)
    if "text" not in chat.gives or "text" not in chat.accepts:
        raise ConfigError(f"{text} cannot judge: it does not take and give text")
    return Judge(chat, references_only=is_weak(text), answers=answers, paid=is_paid(text))


def is_weak(text: str) -> bool:
    """Whether a judge is the embedded one, by whichever name."""
    uri = parse(text)
    return uri.scheme == "embedded" or f"{uri.scheme}:{uri.path}" == EMBEDDED


def is_paid(text: str) -> bool:
    """Whether a judge's calls may cost money: all but what runs in this process."""
    return parse(text).scheme not in UNPAID


def open_judges(
    texts: Sequence[str],
    repeat: int,
    clock: Clock,
    answers: Answers | None = None,
    budget: Budget | None = None,
) -> Judge | Panel:
    """The judge, or the panel, that URIs name: each asked `repeat` times with seeds 0, 1, …

    Raises ConfigError for no judge, one named twice, or `repeat` below 1.
    """
    if not texts:
        raise ConfigError("no judge was given; add --judge URI")
    if twice := next((text for text in texts if texts.count(text) > 1), None):
        raise ConfigError(
            f"--judge {twice} is given twice; to ask it again add --repeat {texts.count(twice)}"
        )
    if repeat < 1:
        raise ConfigError(f"--repeat must be at least 1, not {repeat}")
    judges = [replace(open_judge(text, clock, answers), budget=budget) for text in texts]
    if len(judges) == 1 and repeat == 1:
        return judges[0]
    heat = REPEATED_TEMPERATURE if repeat > 1 else 0.0
    return Panel(
        tuple(replace(judge, seed=seed, temperature=heat) for judge in judges for seed in range(repeat)),
        repeat,
    )
