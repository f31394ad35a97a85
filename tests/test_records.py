"""Every version of every record: the rows in tests/golden must stay readable, and today's must be written alike."""

from __future__ import annotations

import ast
import importlib
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from antiphon.jsonl import dumps, from_row, read, to_row

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"


def _records() -> dict[str, Any]:
    """Every class of Antiphon with a KIND, by its kind."""
    found: dict[str, Any] = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and any(
                ast.unparse(line).startswith("KIND: ClassVar[str] =") for line in node.body
            ):
                module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
                record = getattr(importlib.import_module(module), node.name)
                assert record.KIND not in found, f"two records are of kind {record.KIND!r}"
                found[record.KIND] = record
    return found


RECORDS = _records()


def _golden(kind: str, version: int) -> Path:
    return GOLDEN / f"{kind}-v{version}.jsonl"


def _read(record: Any, version: int) -> list[Any]:
    return [from_row(row, record) for row in read(_golden(record.KIND, version))]


@pytest.mark.parametrize("kind", RECORDS)
def test_a_golden_row_reads_and_is_written_back_to_the_byte(kind: str):
    record = RECORDS[kind]
    lines = _golden(kind, record.V).read_text("utf-8").splitlines()
    assert lines
    assert [dumps(to_row(one)) for one in _read(record, record.V)] == lines


@pytest.mark.parametrize("kind", RECORDS)
def test_the_golden_rows_of_a_record_use_each_of_its_fields(kind: str):
    record = RECORDS[kind]
    seen = _read(record, record.V)
    unused = [
        field.name
        for field in fields(record)
        if all(getattr(one, field.name) == _default(field) for one in seen)
    ]
    assert unused == []


def test_the_version_before_is_still_read():
    renewed = {kind: record for kind, record in RECORDS.items() if record.V > 1}
    before = {kind: _read(record, record.V - 1) for kind, record in renewed.items()}
    assert before == {kind: _read(record, record.V)[: len(before[kind])] for kind, record in renewed.items()}


def test_golden_files_are_of_records_that_exist():
    known = {_golden(kind, version) for kind, record in RECORDS.items() for version in range(1, record.V + 1)}
    assert {*GOLDEN.iterdir()} == known


def _default(field: Any) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default
