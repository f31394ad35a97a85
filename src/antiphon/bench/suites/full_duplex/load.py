"""Reads Full-Duplex-Bench from the user's folder, in the layouts in which it is published."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from antiphon.bench.items import Item
from antiphon.bench.suites.full_duplex.subsets import PLACES, SOURCE, VERSIONS, Subset, chosen
from antiphon.bench.suites.full_duplex.tool_set import SCENE, tools
from antiphon.errors import ConfigError, DataError

INPUT, CLEAN, ICC = "input.wav", "clean_input.wav", "icc_gt_distribution.json"
SCENARIOS = "benchmark_data_v2.json"


def load(folder: Path, version: str, names: Sequence[str] = ()) -> list[Item]:
    """The samples that are there, subset by subset; a subset that was asked for by name must be.

    Raises ConfigError for a wrong folder, DataError that names the file and field for a wrong one.
    """
    if not folder.is_dir():
        raise ConfigError(f"--data {folder}: no such folder; it holds {_names(version)}, from {SOURCE}")
    found: list[Item] = []
    for subset in chosen(version, names):
        place = _place(folder, version, subset)
        if place is None and subset.name in names:
            raise ConfigError(f"{folder} has no folder {subset.name}; get it from {SOURCE}")
        if place is not None:
            found += _samples(place, subset)
    if not found:
        raise ConfigError(
            f"{folder} holds no sample of full-duplex {version}; it holds {_names(version)}, from {SOURCE}"
        )
    return found


def _names(version: str) -> str:
    return ", ".join(subset.name for subset in VERSIONS[version])


def _place(folder: Path, version: str, subset: Subset) -> Path | None:
    """Where a subset lies: below the folder, or the folder itself where it goes by the subset's name."""
    names = (subset.name, *subset.others)
    for below in PLACES[version]:
        for name in names:
            if (folder / below / name).is_dir():
                return folder / below / name
    return folder if folder.resolve().name in names else None


def _samples(place: Path, subset: Subset) -> list[Item]:
    folders = [one for one in place.iterdir() if one.is_dir() and not one.name.startswith(".")]
    shared = _shared(place, subset)
    return [_item(one, subset, shared) for one in sorted(folders, key=_order)]


def _order(folder: Path) -> tuple[int, int, str]:
    return (0, int(folder.name), "") if folder.name.isdigit() else (1, 0, folder.name)


def _shared(place: Path, subset: Subset) -> Mapping[str, Any]:
    """What stands beside all samples: the distribution of people's backchannels, or the scenarios."""
    name = {"backchannel": ICC, "tools": SCENARIOS}.get(subset.task)
    path = next((at / name for at in (place, place.parent, place.parent.parent) if (at / name).is_file()), None) if name else None  # fmt: skip
    if path is None:
        return {}
    read = _json(path)
    if not isinstance(read, dict):
        raise DataError(path, "must be one JSON object")
    if subset.task == "tools":
        return {
            str(each.get("id")): each for each in _list(path, read, "scenarios") if isinstance(each, dict)
        }
    return cast("dict[str, Any]", read)


def _item(folder: Path, subset: Subset, shared: Mapping[str, Any]) -> Item:
    if not (folder / INPUT).is_file():
        raise DataError(folder / INPUT, "no such file; every sample has the person's track")
    notes = _NOTES[subset.task](folder, subset, shared)
    return Item(
        id=f"{subset.name}/{folder.name}",
        subset=subset.name,
        language="en",
        question=str(notes.pop("question", "")),
        answer=notes.pop("answer", None),
        audio=str(folder / INPUT),
        speech=subset.speech,
        category=str(notes.pop("category", "")),
        source="Full-Duplex-Bench",
        extra=notes,
    )


def _pause(folder: Path, subset: Subset, _: Mapping[str, Any]) -> dict[str, Any]:
    path = folder / subset.notes
    pauses = [_span(path, one, "timestamp") for one in _rows(path)]
    return {"question": _transcript(folder), "pauses": pauses}


def _turn(folder: Path, subset: Subset, _: Mapping[str, Any]) -> dict[str, Any]:
    path = folder / subset.notes
    return {"question": _transcript(folder), "turn_end": _span(path, _rows(path)[0], "timestamp")[0]}


def _backchannel(folder: Path, _: Subset, shared: Mapping[str, Any]) -> dict[str, Any]:
    expected = shared.get(folder.name)
    found: dict[str, Any] = {"question": _transcript(folder)}
    if isinstance(expected, list):
        found["people"] = [float(one) for one in cast("list[float]", expected)]
    return found


def _interruption(folder: Path, subset: Subset, _: Mapping[str, Any]) -> dict[str, Any]:
    path = folder / subset.notes
    row = _rows(path)[0]
    context, interrupt = _text(path, row, "context"), _text(path, row, "interrupt")
    return {
        "question": f"{context} … {interrupt}",
        "context": context,
        "interrupt": interrupt,
        "interruption": _span(path, row, "timestamp"),
    }


def _overlap(folder: Path, subset: Subset, _: Mapping[str, Any]) -> dict[str, Any]:
    path = folder / subset.notes
    row = _object(path)
    if not (folder / CLEAN).is_file():
        raise DataError(folder / CLEAN, "no such file; 1.5 compares with the track without the overlap")
    context, said = _text(path, row, "context_text"), _text(path, row, "current_turn_text")
    return {
        "question": f"{context} … {said}",
        "context": context,
        "overlap_text": said,
        "overlap": _span(path, row, "timestamps"),
        "clean_audio": CLEAN,
    }


def _tool_use(folder: Path, subset: Subset, shared: Mapping[str, Any]) -> dict[str, Any]:
    path = folder / subset.notes
    row = _object(path)
    known = shared.get(str(row.get("example_id") or row.get("id") or folder.name.rpartition("_")[0]), {})
    row = {**known, **row}
    dialogue = _list(path, row, "dialogue")
    last = dialogue[-1] if dialogue and isinstance(dialogue[-1], dict) else {}
    calls = [_call(path, one, at) for at, one in enumerate(_list(path, row, "expected_tool_calls"))]
    said = [str(turn.get("user", "")) for turn in dialogue if isinstance(turn, dict)]
    specs, results = tools(calls)
    return {
        "question": " ".join(filter(None, said)),
        "answer": str(last.get("ai") or "") or None,
        "category": str(row.get("domain") or ""),
        "Level": str(row.get("difficulty") or ""),
        "expected_calls": calls,
        "disfluency": list(row.get("disfluency_features") or ()),
        "rollback": bool(row.get("state_rollback_test", False)),
        "instructions": SCENE,
        "tools": specs,
        "results": results,
    }


_NOTES = {
    "pause": _pause,
    "turn": _turn,
    "backchannel": _backchannel,
    "interruption": _interruption,
    "overlap": _overlap,
    "tools": _tool_use,
}


def _call(path: Path, one: Any, at: int) -> dict[str, Any]:
    if not isinstance(one, dict) or not isinstance(one.get("function"), str):
        raise DataError(path, "has no name of a function", field=f"expected_tool_calls[{at}]")
    arguments = one.get("args", {})
    if not isinstance(arguments, dict):
        raise DataError(path, "args must be an object", field=f"expected_tool_calls[{at}]")
    return {"function": one["function"], "args": arguments}


def _transcript(folder: Path) -> str:
    """The words of `transcription.json` where there is one: rows of words, or of speakers with their words."""
    path = folder / "transcription.json"
    if not path.is_file():
        return ""
    rows = _json(path)
    words: list[str] = []
    for row in cast("list[Any]", rows) if isinstance(rows, list) else []:
        inner = row.get("item", [row]) if isinstance(row, dict) else []
        words += [str(word.get("text", "")).strip() for word in inner if isinstance(word, dict)]
    return " ".join(filter(None, words))


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(path, "no such file") from None
    except (OSError, ValueError) as error:
        raise DataError(path, f"cannot be read as JSON: {error}") from None


def _object(path: Path) -> dict[str, Any]:
    read = _json(path)
    if not isinstance(read, dict):
        raise DataError(path, "must be one JSON object")
    return cast("dict[str, Any]", read)


def _rows(path: Path) -> list[dict[str, Any]]:
    rows = _json(path)
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise DataError(path, "must be a list of at least one JSON object")
    return cast("list[dict[str, Any]]", rows)


def _list(path: Path, row: Mapping[str, Any], field: str) -> list[Any]:
    found = row.get(field)
    if not isinstance(found, list):
        raise DataError(path, "is missing, or no list", field=field)
    return cast("list[Any]", found)


def _text(path: Path, row: Mapping[str, Any], field: str) -> str:
    found = row.get(field)
    if not isinstance(found, str):
        raise DataError(path, "is missing, or no text", field=field)
    return found


def _span(path: Path, row: Mapping[str, Any], field: str) -> list[float]:
    found = row.get(field)
    if isinstance(found, list) and len(found) == 2:
        start, end = cast("list[Any]", found)
        if (
            all(isinstance(one, int | float) and not isinstance(one, bool) for one in (start, end))
            and 0 <= start <= end
        ):
            return [float(start), float(end)]
    raise DataError(path, f"must be [start, end] in seconds, not {found!r}", field=field)
