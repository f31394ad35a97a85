"""Existing outputs in the published layout, scored without inference.

`json/SUBSET.json` holds JSON Lines `{Qid, Response[, Response_hyp]}` or an array of such objects (as the
published recogniser writes them), and `wav/SUBSET/QID.wav` the spoken replies.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from antiphon.bench.suites.published import texts_folder
from antiphon.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from antiphon.bench.items import Item

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Output:
    """What a system gave for one item: None for words, sound or transcript that are not there."""

    item: Item
    text: str | None
    clip_path: Path | None
    transcript: str | None


def read_outputs(folder: Path, items: Sequence[Item]) -> list[Output]:
    """One output an item, in the items' order; an item without a row gets one with nothing in it.

    Raises ConfigError when a subset has no file, DataError for a bad row, a repeated Qid, or a file that
    answers none of the items (the outputs of another suite).
    """
    texts = texts_folder(folder)
    by_subset: dict[str, dict[str, Row]] = {}
    for subset in dict.fromkeys(item.subset for item in items):
        path = texts / f"{subset}.json"
        if not path.is_file():
            there = ", ".join(sorted(found.stem for found in texts.glob("*.json"))) or "none"
            raise ConfigError(f"{texts} has no outputs for {subset!r}; there are: {there}")
        by_subset[subset] = _by_qid(path)
        asked = {qid_of(item) for item in items if item.subset == subset}
        if asked.isdisjoint(by_subset[subset]):
            first = next(iter(by_subset[subset]), "nothing")
            raise DataError(path, f"answers none of the {len(asked)} items asked for; it begins with {first}")
    return [_output(folder, item, by_subset[item.subset].get(qid_of(item), {})) for item in items]


def qid_of(item: Item) -> str:
    """The published Qid of an item: its id, unless two subsets share one."""
    return str(item.extra.get("Qid", item.id))


def read_rows(path: Path) -> list[Row]:
    """Objects with a Qid from a JSON array or from JSON Lines. Raises DataError with line or index."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(path, f"not UTF-8: {error.reason} at byte {error.start}") from None
    rows: list[Row] = []
    if text.lstrip().startswith("["):
        for index, value in enumerate(cast("list[object]", _parse(path, text, None))):
            rows.append(_row(path, value, None, f"[{index}]"))
        return rows
    for line, raw in enumerate(text.split("\n"), start=1):
        if raw.strip():
            rows.append(_row(path, _parse(path, raw, line), line, ""))
    return rows


def _parse(path: Path, text: str, line: int | None) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(path, f"not JSON: {error.msg}", line=line or error.lineno) from None


def _row(path: Path, value: object, line: int | None, where: str) -> Row:
    if not isinstance(value, dict):
        raise DataError(
            path, f"must be an object, not {type(value).__name__}", line=line, field=where or None
        )
    row = cast("Row", value)
    if not isinstance(row.get("Qid"), str):
        raise DataError(path, "is missing or no text", line=line, field=f"{where}.Qid".lstrip("."))
    for key in ("Response", "Response_hyp"):
        if not isinstance(row.get(key), str | None):
            raise DataError(path, "must be a text", line=line, field=f"{where}.{key}".lstrip("."))
    return row


def _by_qid(path: Path) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for number, row in enumerate(read_rows(path), start=1):
        if row["Qid"] in found:
            raise DataError(path, f"row {number} answers {row['Qid']!r} a second time", field="Qid")
        found[row["Qid"]] = row
    return found


def _output(folder: Path, item: Item, row: Row) -> Output:
    clip = folder / "wav" / item.subset / f"{qid_of(item)}.wav"
    return Output(item, row.get("Response"), clip if clip.is_file() else None, row.get("Response_hyp"))
