"""`Labels`: replies with what people said about them, and the prompt that asks a judge the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antiphon.errors import ConfigError, DataError
from antiphon.ids import rng
from antiphon.jsonl import read
from antiphon.judge.judge import Ask
from antiphon.judge.parse import yes_no
from antiphon.text.script import HAN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from antiphon.judge.prompt import Prompt

FIELDS = ("question", "answer", "response", "history", "criteria")
_HAN = re.compile(f"[{HAN}]")


@dataclass(frozen=True, slots=True)
class Labelled:
    """One reply: what fills a prompt, and the label: a bool, or a whole number from 1. `length` is how many
    characters the judged words have."""

    id: str
    fields: dict[str, str]
    label: bool | float
    length: int


@dataclass(frozen=True, slots=True)
class Labels:
    """A set of labelled replies. `prompt` is None exactly where `reason` says why no judge can be asked."""

    name: str
    rows: tuple[Labelled, ...]
    prompt: Prompt | None
    reason: str | None = None

    def asks(self, prompt: Prompt) -> list[Ask]:
        """What a judge is asked, row by row."""
        return [Ask(prompt, row.fields) for row in self.rows]

    def some(self, limit: int | None) -> Labels:
        """At most `limit` rows, drawn by lot once for all: a smaller choice is part of a larger one."""
        if limit is None or limit >= len(self.rows):
            return self
        if limit < 1:
            raise ConfigError(f"--limit must be at least 1, not {limit}")
        drawn = sorted(rng(0, "calibration", self.name).permutation(len(self.rows))[:limit])
        return Labels(self.name, tuple(self.rows[at] for at in drawn), self.prompt, self.reason)


def read_labels(path: Path, prompt_for: Callable[[Sequence[Labelled]], Prompt]) -> Labels:
    """A user's own file: rows with `response` and `label`, and `question`, `answer`, `history`, `criteria`,
    `id` where they have them.

    A label is true or false (or a verdict word: yes, no, 正确, …), or a whole number from 1 to 5, the same
    kind in every row. `history` is a text, or a list of `{"role": …, "text": …}`. `prompt_for` chooses the
    prompt from all rows. Raises DataError that names line and field.
    """
    if not path.is_file():
        raise ConfigError(f"no file {path}; labels are a JSONL file with response and label in every row")
    rows = [_row(path, line, row) for line, row in enumerate(read(path), start=1)]
    if not rows:
        raise DataError(path, "holds no labelled reply")
    kind = isinstance(rows[0].label, bool)
    for line, row in enumerate(rows, start=1):
        if isinstance(row.label, bool) is not kind:
            raise DataError(path, "yes or no in one row, a number in another", line=line, field="label")
    prompt = prompt_for(rows)
    for line, row in enumerate(rows, start=1):
        _check(path, line, row, prompt)
    return Labels(path.stem, tuple(rows), prompt)


def language_of(rows: Sequence[Labelled]) -> str:
    """ "zh" where most rows have Han characters, else "en"."""
    with_han = sum(bool(_HAN.search(" ".join(row.fields.values()))) for row in rows)
    return "zh" if 2 * with_han > len(rows) else "en"


def _row(path: Path, line: int, row: dict[str, Any]) -> Labelled:
    fields: dict[str, str] = {}
    for name in FIELDS:
        value = row.get(name)
        if name == "history" and isinstance(value, list):
            value = "\n".join(f"{turn.get('role')}: {turn.get('text')}" for turn in value)
        if value is None:
            continue
        if not isinstance(value, str):
            raise DataError(path, f"must be a text, not {value!r}", line=line, field=name)
        fields[name] = value
    if not fields.get("response", "").strip():
        raise DataError(
            path, "is missing: without a reply nothing can be judged", line=line, field="response"
        )
    label = _label(path, line, row.get("label"))
    return Labelled(str(row.get("id", line)), fields, label, len(fields["response"]))


def _label(path: Path, line: int, value: object) -> bool | float:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (1, 2, 3, 4, 5):
        return float(value)
    if isinstance(value, str) and isinstance(word := yes_no(value).value, bool):
        return word
    problem = f"{value!r} is neither true, false, a verdict word, nor a whole number from 1 to 5"
    raise DataError(path, problem, line=line, field="label")


def _check(path: Path, line: int, row: Labelled, prompt: Prompt) -> None:
    if isinstance(row.label, bool) is not bool(prompt.choices):
        asked = "yes or no" if prompt.choices else f"a score from 1 to {prompt.top}"
        raise DataError(path, f"prompt {prompt.name} asks for {asked}", line=line, field="label")
    try:
        prompt.fill(row.fields)
    except ValueError as error:
        raise DataError(path, f"{error}", line=line) from None
