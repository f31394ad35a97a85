"""Opens a judge by name: `embedded:`, or any chat model's URI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.errors import ConfigError
from antiphon.judge.judge import Judge
from antiphon.models.catalog import open_chat
from antiphon.models.uri import parse

if TYPE_CHECKING:
    from antiphon.clock import Clock
    from antiphon.judge.judge import Answers

EMBEDDED = "llama:qwen2.5-coder-1.5b"
# Right on 12 of 20 yes/no pairs, where chance gives 10: no judge at all.
TOO_WEAK = ("llama:", "llama:qwen2.5-coder-0.5b")


def open_judge(text: str, clock: Clock, answers: Answers | None = None) -> Judge:
    """The judge that a URI names. The embedded one answers yes or no with a reference at hand, and
    nothing else: its free scores were measured and found unreliable.

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
    weak = embedded or f"{uri.scheme}:{uri.path}" == EMBEDDED
    return Judge(chat, references_only=weak, answers=answers)
