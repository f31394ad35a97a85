"""The published VocalBench format: one JSON array a subset, read into items.

Keys as published at github.com/SJTU-OmniAgent/VocalBench-zh: `Set, Qid, Audio, Question` everywhere,
the rest by subset. `Answers` (accepted forms of the answer), `Target` (the sentence to repeat) and `Speech`
(recorded or synthetic) are ours and optional. Published audio is synthetic (CosyVoice2, section 3.1).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from antiphon.bench.items import Item, Turn
from antiphon.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from antiphon.bench.items import Speech

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """What the entries of one file hold: `needs` lists the keys beside Set, Qid and Question."""

    ability: str
    needs: tuple[str, ...]
    answer: str | None = "Answer"
    language: str = "zh"


# File name → its shape. The last two are ours: the published format has no English subsets of its own.
SHAPES: dict[str, Shape] = {
    "chinese_knowledge": Shape("knowledge", ("Answer", "Source")),
    "foreign_knowledge": Shape("knowledge", ("Answer", "Source")),
    "general_knowledge": Shape("knowledge", ("Answer", "Source")),
    "reasoning": Shape("reasoning", ("Answer", "Category")),
    "creativity": Shape("creativity", ("Answer", "Category", "Source")),
    "single_round": Shape("single_round", ("Answer", "Category")),
    "multi_round": Shape("multi_round", ("Context", "Answer", "Category")),
    "instruction_following": Shape("instruction_following", ("Category",), answer=None),
    "emotion": Shape("emotion", ("Question_emo", "Score"), answer=None),
    "safety": Shape("safety", ("Answer",)),
    "cs_knowledge": Shape(
        "code_switching", ("Question_en", "Answer_zh", "Answer_en", "Source", "Category"), "Answer_zh"
    ),
    "cs_knowledge_en": Shape("code_switching", ("Answer", "Category"), language="en"),
    "cs_open_ended": Shape("code_switching", ("Answer", "Source")),
    "robust": Shape("robust", ("Answer", "Category", "Level")),
    "robust_clean": Shape("robust", ("Answer", "Category")),
    "english_knowledge": Shape("knowledge", ("Answer", "Source"), language="en"),
    "english_dialogue": Shape("single_round", ("Answer", "Category"), language="en"),
}

_COMMON = ("Set", "Qid", "Question")
_IN_FIELDS = {"Set", "Qid", "Audio", "Question", "Context", "Category", "Source", "Speech"}
_LISTS = {"Context", "Score"}


def texts_folder(folder: Path) -> Path:
    """Where a data folder keeps its JSON files: `folder/json`, or the folder itself.

    Raises ConfigError when it is not there.
    """
    if not folder.is_dir():
        raise ConfigError(f"no folder {str(folder)!r}; give the folder that holds the suite's JSON files")
    inner = folder / "json"
    return inner if inner.is_dir() else folder


def read_entries(path: Path) -> list[Entry]:
    """The objects of one JSON array. Raises DataError that names file, line or index."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise DataError(path, "no such file; fetch the data folder again") from None
    except UnicodeDecodeError as error:
        raise DataError(path, f"not UTF-8: {error.reason} at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise DataError(path, f"not JSON: {error.msg}", line=error.lineno) from None
    if not isinstance(value, list):
        raise DataError(path, f"must be an array of objects, not {type(value).__name__}")
    for index, entry in enumerate(cast("list[object]", value)):
        if not isinstance(entry, dict):
            raise DataError(path, f"must be an object, not {type(entry).__name__}", field=f"[{index}]")
    return cast("list[Entry]", value)


def read_subset(
    path: Path,
    subset: str,
    shape: Shape,
    *,
    audio: Path | None = None,
    language: str | None = None,
    speech: Speech = "synthetic",
) -> list[Item]:
    """One file's items in order: `items_of` what the file holds. `speech` labels entries that do not say."""
    entries = [{"Speech": speech, **entry} for entry in read_entries(path)]
    items = items_of(path, entries, subset, shape, audio=audio)
    return [replace(item, language=language) for item in items] if language else items


def items_of(
    path: Path, entries: Sequence[Entry], subset: str, shape: Shape, *, audio: Path | None = None
) -> list[Item]:
    """The items of one file's entries in order. `audio` is the folder that `Audio` is relative to.

    An item's audio is set where the file is there and None otherwise. Raises DataError on a missing or
    empty key, a wrong type, a repeated Qid, or an Audio that leaves the folder.
    """
    items: list[Item] = []
    seen: dict[str, int] = {}
    for index, entry in enumerate(entries):
        for key in (*_COMMON, *shape.needs):
            _check(path, index, entry, key)
        qid = entry["Qid"]
        if qid in seen:
            raise DataError(path, f"repeats {qid!r} of [{seen[qid]}]", field=f"[{index}].Qid")
        seen[qid] = index
        sound = _sound(path, index, entry, audio)
        items.append(_item(path, index, entry, subset, shape, sound))
    return items


def link_versions(items: Sequence[Item], originals: Sequence[Item]) -> list[Item]:
    """Name the source of every perturbed item as its cluster: the original with its question."""
    by_question = {item.question: item.id for item in originals}
    return [
        replace(item, cluster=by_question.get(item.question, item.question))
        if "Level" in item.extra or item.subset == "robust_clean"
        else item
        for item in items
    ]


def _check(path: Path, index: int, entry: Entry, key: str) -> None:
    where = f"[{index}].{key}"
    if key not in entry:
        raise DataError(path, "is missing", field=where)
    value = entry[key]
    wanted = list if key in _LISTS else str
    if not isinstance(value, wanted):
        raise DataError(path, f"must be a {wanted.__name__}, not {type(value).__name__}", field=where)
    if not (value.strip() if isinstance(value, str) else value):
        raise DataError(path, "is empty", field=where)


def _sound(path: Path, index: int, entry: Entry, audio: Path | None) -> str | None:
    name = entry.get("Audio") or ""
    if not isinstance(name, str):
        raise DataError(path, f"must be a str, not {type(name).__name__}", field=f"[{index}].Audio")
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts:
        raise DataError(path, f"{name!r} leaves the audio folder", field=f"[{index}].Audio")
    if not name or audio is None:
        return None
    file = audio / relative
    return str(file) if file.is_file() else None


def _item(path: Path, index: int, entry: Entry, subset: str, shape: Shape, sound: str | None) -> Item:
    qid = str(entry["Qid"])
    skip = _IN_FIELDS | ({shape.answer} if shape.answer else set())
    extra = {key: value for key, value in entry.items() if key not in skip}
    # The English twin of a code-switching item is published under the same Qid.
    twin = subset == "cs_knowledge_en" and "_en-" not in qid
    if twin:
        extra["Qid"] = qid
    _check_forms(path, index, extra)
    return Item(
        id=qid.replace("codeswitching_knowledge-", "codeswitching_knowledge_en-") if twin else qid,
        subset=subset,
        language=shape.language,
        question=entry["Question"],
        answer=entry[shape.answer] if shape.answer else None,
        audio=sound,
        speech=_speech(path, index, entry, sound),
        category=str(entry.get("Category") or ""),
        source=str(entry.get("Source") or ""),
        history=_history(path, index, entry),
        cluster=qid if twin else None,
        ability=_ability(shape),
        extra=extra,
    )


def _speech(path: Path, index: int, entry: Entry, sound: str | None) -> Speech:
    """Who spoke the question: people only where the entry says so and its sound is there."""
    said = entry.get("Speech", "synthetic")
    if said not in ("recorded", "synthetic"):
        raise DataError(path, f"{said!r} is neither recorded nor synthetic", field=f"[{index}].Speech")
    return "recorded" if said == "recorded" and sound is not None else "synthetic"


def _ability(shape: Shape) -> str:
    """What the items test; English questions are an ability of their own beside the Mandarin ones."""
    return "english" if shape.language == "en" and shape.ability != "code_switching" else shape.ability


def _check_forms(path: Path, index: int, extra: Entry) -> None:
    forms = extra.get("Answers", [""])
    if not isinstance(forms, list) or not forms or not all(isinstance(form, str) for form in forms):
        raise DataError(path, "must be a list of accepted answers", field=f"[{index}].Answers")
    if "Answers" in extra and not all(form.strip() for form in cast("list[str]", forms)):
        raise DataError(path, "holds an empty answer", field=f"[{index}].Answers")


def _history(path: Path, index: int, entry: Entry) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    context = entry.get("Context", [])
    if not isinstance(context, list):
        raise DataError(path, f"must be a list, not {type(context).__name__}", field=f"[{index}].Context")
    for number, turn in enumerate(cast("list[Any]", context)):
        where = f"[{index}].Context[{number}]"
        if not isinstance(turn, dict) or not isinstance(turn.get("value"), str):
            raise DataError(path, "must be an object with `from` and a text `value`", field=where)
        role = turn.get("from")
        if role not in ("user", "assistant"):
            raise DataError(path, f"{role!r} is neither user nor assistant", field=f"{where}.from")
        turns.append(Turn(role, turn["value"]))
    return tuple(turns)
