"""The text source: questions from JSONL, JSON or CSV, in the words of common datasets, as drafts.

Keys count in any case: question (query), answer, options (choices; or the columns A, B, C …), subset, id (Qid),
category, source, language, emotion (Question_emo), context; everything else is carried along. With options the
answer is the right one's letter or its text. Numbers are refused: sources count from 0 and from 1.
"""

from __future__ import annotations

import csv
import io
import json
import re
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, cast

from antiphon.bench.create.draft import UNTAGGED, Draft
from antiphon.bench.items import Turn
from antiphon.bench.metrics.emotions import FIVE
from antiphon.bench.suites.published import SHAPES
from antiphon.errors import ConfigError, DataError, unknown
from antiphon.text.script import language_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Entry = dict[str, Any]

_ALIASES = {
    "query": "question",
    "choices": "options",
    "qid": "id",
    "question_emo": "emotion",
    "set": "",
    "audio": "",
}
_KNOWN = (
    "question",
    "answer",
    "options",
    "subset",
    "id",
    "category",
    "source",
    "language",
    "emotion",
    "context",
)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LETTERED = re.compile(r"^\(?([A-Ha-h])[)）.．、:：]?\s*$")
_PERTURBED = ("robust", "robust_clean")


def subsets() -> list[str]:
    """What can be created: every published subset but those that are made by disturbing another's sound."""
    return [UNTAGGED, *(name for name in SHAPES if name not in _PERTURBED)]


def read_source(path: Path, subset: str | None = None, limit: int | None = None) -> list[Draft]:
    """The drafts of a file, in order. `subset` holds for entries that name none.

    Raises ConfigError for a file that is none, DataError that names file, entry and field.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (FileNotFoundError, IsADirectoryError):
        raise ConfigError(
            f"no file {str(path)!r}; give JSONL, JSON or CSV with questions and answers"
        ) from None
    except UnicodeDecodeError as error:
        raise DataError(path, f"not UTF-8: {error.reason} at byte {error.start}") from None
    readers = {".jsonl": _jsonl, ".json": _json, ".csv": _csv}
    if path.suffix.lower() not in readers:
        raise unknown("kind of source", path.suffix, readers, f"rename {path.name}")
    drafts: list[Draft] = []
    seen: set[str] = set()
    for where, entry in readers[path.suffix.lower()](path, text)[:limit]:
        draft = _Reader(path, where, _folded(entry)).draft(len(drafts), subset)
        if draft.id in seen:
            raise DataError(path, f"repeats the id {draft.id!r}", field=where)
        seen.add(draft.id)
        drafts.append(draft)
    if not drafts:
        raise DataError(path, "holds no questions")
    return drafts


def _jsonl(path: Path, text: str) -> list[tuple[str, Entry]]:
    found: list[tuple[str, Entry]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            found.append((f"line {number}", _object(path, f"line {number}", _parsed(path, line, number))))
    return found


def _json(path: Path, text: str) -> list[tuple[str, Entry]]:
    value = _parsed(path, text, None)
    if not isinstance(value, list):
        raise DataError(path, f"must be an array of objects, not {type(value).__name__}")
    return [(f"[{at}]", _object(path, f"[{at}]", one)) for at, one in enumerate(cast("list[Any]", value))]


def _csv(path: Path, text: str) -> list[tuple[str, Entry]]:
    rows = csv.DictReader(io.StringIO(text), restkey="")
    found: list[tuple[str, Entry]] = []
    for row in rows:
        if "" in row:
            raise DataError(path, "has more cells than the head", line=rows.line_num)
        found.append((f"line {rows.line_num}", {name: cell for name, cell in row.items() if cell}))
    return found


def _parsed(path: Path, text: str, line: int | None) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(path, f"not JSON: {error.msg}", line=line or error.lineno) from None


def _object(path: Path, where: str, value: object) -> Entry:
    if not isinstance(value, dict):
        raise DataError(path, f"must be an object, not {type(value).__name__}", field=where)
    return cast("Entry", value)


def _folded(entry: Mapping[str, Any]) -> Entry:
    """Known keys in one spelling; others as they are."""
    found: Entry = {}
    for name, value in entry.items():
        plain = _ALIASES.get(name.lower(), name.lower())
        if plain in _KNOWN:
            found[plain] = value
        elif plain:
            found[name] = value
    return found


class _Reader:
    """One entry, checked."""

    def __init__(self, path: Path, where: str, entry: Entry) -> None:
        self._path, self._where, self._entry = path, where, entry

    def draft(self, place: int, subset: str | None) -> Draft:
        question = self._text("question")
        options, right, answer = self._choice()
        chosen = self._subset(subset)
        draft = Draft(
            id=self._id(place),
            subset=chosen,
            language=self._language(question, chosen),
            question=question,
            answer=answer,
            given=question,
            category=self._text("category", ""),
            source=self._text("source", self._path.stem),
            options=options,
            right=right,
            emotion=self._emotion(chosen),
            history=self._history(),
            extra={name: value for name, value in self._entry.items() if name not in _KNOWN},
        )
        self._check_needs(draft)
        return draft

    def _error(self, field: str, problem: str) -> DataError:
        return DataError(self._path, problem, field=f"{self._where} {field}")

    def _text(self, field: str, default: str | None = None) -> str:
        value = self._entry.get(field, default)
        if not isinstance(value, str):
            problem = "is missing" if value is None else f"must be a text, not {type(value).__name__}"
            raise self._error(field, problem)
        if default is None and not value.strip():
            raise self._error(field, "is empty")
        return value.strip()

    def _id(self, place: int) -> str:
        found = self._text("id", f"{place:04d}")
        if not _ID.fullmatch(found):
            raise self._error("id", f"{found!r} cannot name a file; use letters, digits, . _ -")
        return found

    def _subset(self, default: str | None) -> str:
        found = self._text("subset", default)
        if found in _PERTURBED:
            problem = f"{found} is made from single_round by disturbing its sound (antiphon run does it)"
            raise self._error("subset", problem)
        if found not in subsets():
            raise self._error("subset", f"no subset {found!r}; there are: {', '.join(subsets())}")
        return found

    def _language(self, question: str, subset: str) -> str:
        mixed = subset in SHAPES and SHAPES[subset].ability == "code_switching"
        found = self._text("language", SHAPES[subset].language if mixed else language_of(question))
        if found not in ("zh", "en"):
            raise self._error("language", f"{found!r} is not among en, zh")
        return found

    def _emotion(self, subset: str) -> str:
        found = self._text("emotion", "").lower()
        if subset == "emotion" and found not in FIVE:
            raise self._error("emotion", f"{found!r} is not among {', '.join(FIVE)}")
        return found

    def _history(self) -> tuple[Turn, ...]:
        turns = self._entry.get("context", [])
        if not isinstance(turns, list):
            raise self._error("context", f"must be a list, not {type(turns).__name__}")
        found: list[Turn] = []
        for turn in cast("list[Any]", turns):
            match turn:
                case {"from": ("user" | "assistant") as role, "value": str(text)} if text.strip():
                    found.append(Turn(role, text))
                case _:
                    raise self._error("context", "a turn has `from` (user, assistant) and a text `value`")
        return tuple(found)

    def _choice(self) -> tuple[tuple[str, ...], int | None, str]:
        """Options, the right one's place, and the answer of a question that has none."""
        options = self._options()
        if not options:
            return (), None, self._text("answer", "")
        answer = self._text("answer")
        if letter := _LETTERED.match(answer):
            right = ascii_uppercase.index(letter[1].upper())
            if right >= len(options):
                raise self._error("answer", f"{answer!r} of {len(options)} options")
            return options, right, options[right]
        places = [at for at, option in enumerate(options) if option == answer]
        if len(places) != 1:
            raise self._error("answer", f"{answer!r} is neither a letter nor one of the options")
        return options, places[0], answer

    def _options(self) -> tuple[str, ...]:
        given: Any = self._entry.get("options")
        if isinstance(given, dict):
            given = list(cast("dict[str, Any]", given).values())
        if given is None:
            letters = [letter for letter in ascii_uppercase[:8] if letter in self._entry]
            given = [self._entry.pop(letter) for letter in letters]
        return self._listed(cast("Sequence[Any]", given))

    def _listed(self, given: Sequence[Any]) -> tuple[str, ...]:
        if not isinstance(given, list) or not all(isinstance(one, str) and one.strip() for one in given):
            raise self._error("options", "must be a list of texts")
        found = tuple(str(one).strip() for one in given)
        if len(found) == 1 or len(set(found)) != len(found):
            raise self._error("options", "must be at least two, and differ")
        return found

    def _check_needs(self, draft: Draft) -> None:
        """What the published format asks of the subset must be here, or nobody could read the result."""
        have = {
            "Answer": draft.answer, "Category": draft.category, "Source": draft.source,
            "Context": draft.history, "Question_emo": draft.emotion, **draft.extra,
        }  # fmt: skip
        shape = draft.shape
        for field in (*shape.needs, *([shape.answer] if shape.answer else [])):
            if not have.get(field):
                raise self._error(field, f"is missing; {draft.subset} has it in the published format")
