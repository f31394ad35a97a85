from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from antiphon.errors import DataError
from antiphon.jsonl import (
    Appender,
    dumps,
    from_row,
    read,
    read_records,
    to_row,
    write_bytes,
    write_rows,
    write_text,
)


@dataclass(frozen=True, slots=True)
class Note:
    """A record in its second version: version 1 called the text `words`."""

    KIND: ClassVar[str] = "note"
    V: ClassVar[int] = 2
    text: str
    tags: tuple[str, ...] = ()

    @staticmethod
    def upgrade(row: dict[str, Any]) -> dict[str, Any]:
        return {"text": row["words"], "tags": row.get("tags", [])}


@dataclass(frozen=True, slots=True)
class Mark:
    """A record in its first version."""

    KIND: ClassVar[str] = "mark"
    V: ClassVar[int] = 1
    at: int


def test_a_row_is_one_line_of_utf_8_in_the_order_of_its_fields():
    assert dumps({"z": "你好\n", "a": [1, 2.5, None, True]}) == '{"z":"你好\\n","a":[1,2.5,null,true]}'


@dataclass(frozen=True, slots=True)
class Bundle:
    """A record that holds others."""

    KIND: ClassVar[str] = "bundle"
    V: ClassVar[int] = 1
    notes: tuple[Note, ...]
    named: dict[str, Note] = field(default_factory=dict)
    count: int | None = None


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_row_carries_no_number_that_json_has_not(value: float):
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps({"value": value})


def test_half_a_character_is_kept_as_an_escape(tmp_path: Path):
    row = {"text": "\ud83d half", "zh": "你"}
    with Appender(tmp_path / "a.jsonl") as file:
        file.append(row)
    assert (tmp_path / "a.jsonl").read_bytes() == b'{"text":"\\ud83d half","zh":"\\u4f60"}\n'
    assert list(read(tmp_path / "a.jsonl")) == [row]


def test_a_record_carries_its_kind_and_version():
    row = {"kind": "note", "v": 2, "text": "hi", "tags": ["a", "b"]}
    assert to_row(Note("hi", ("a", "b"))) == row
    assert from_row(row, Note) == Note("hi", ("a", "b"))


def test_what_is_at_its_default_is_left_out_at_every_depth():
    record = Bundle((Note(""), Note("hi", ("a",))), {"one": Note("x")}, count=0)
    row = {
        "kind": "bundle", "v": 1, "notes": [{"text": ""}, {"text": "hi", "tags": ["a"]}],
        "named": {"one": {"text": "x", "tags": []}}, "count": 0,
    }  # fmt: skip
    assert json.loads(dumps(to_row(record))) == row
    assert from_row(row, Bundle) == record
    assert to_row(Bundle((), {})) == {"kind": "bundle", "v": 1, "notes": []}


def test_a_field_that_json_cannot_carry_is_refused():
    with pytest.raises(TypeError, match="object"):
        to_row(Note(object()))


def test_a_row_of_the_version_before_is_upgraded():
    assert from_row({"kind": "note", "v": 1, "words": "hi", "tags": ["a"]}, Note) == Note("hi", ("a",))


@pytest.mark.parametrize(
    ("row", "kind", "message"),
    [
        ({"kind": "mark", "v": 1}, Note, "f.jsonl:4 kind: is 'mark', not 'note'"),
        ({"v": 2, "text": "hi"}, Note, "f.jsonl:4 kind: is None, not 'note'"),
        ({"kind": "note", "v": 3}, Note, "f.jsonl:4 v: version 3 of 'note'; this Antiphon reads 1 and 2"),
        ({"kind": "note", "v": 0}, Note, "f.jsonl:4 v: version 0 of 'note'; this Antiphon reads 1 and 2"),
        ({"kind": "mark", "v": 0}, Mark, "f.jsonl:4 v: version 0 of 'mark'; this Antiphon reads 1"),
        ({"kind": "mark"}, Mark, "f.jsonl:4 v: version None of 'mark'; this Antiphon reads 1"),
        (
            {"kind": "mark", "v": 1, "at": "5"}, Mark,
            "f.jsonl:4 mark: Expected `int`, got `str` - at `$.at`",
        ),
        ({"kind": "mark", "v": 1}, Mark, "f.jsonl:4 mark: Object missing required field `at`"),
    ],
)  # fmt: skip
def test_a_row_that_is_not_the_record_says_where_and_why(row: dict[str, Any], kind: type[Note], message: str):
    with pytest.raises(DataError) as caught:
        from_row(row, kind, path="f.jsonl", line=4)
    assert str(caught.value) == message


def test_a_torn_last_line_is_dropped(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":2}\n{"n":')
    assert list(read(path)) == [{"n": 1}, {"n": 2}]


def test_a_whole_last_line_without_its_newline_was_never_promised(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":2}')
    assert list(read(path)) == [{"n": 1}]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b"{", "not JSON: Expecting property name enclosed in double quotes: line 2 column 1 (char 2)"),
        (b"[1]", "a row must be an object, not list"),
        (b'{"n":NaN}', "not JSON: NaN is no JSON number"),
        (b'{"n":"\xff"}', "not JSON: 'utf-8' codec can't decode byte 0xff in position 6: invalid start byte"),
    ],
)
def test_a_bad_line_inside_a_file_is_named(tmp_path: Path, bad: bytes, message: str):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":1}\n' + bad + b'\n{"n":3}\n')
    rows = read(path)
    assert next(rows) == {"n": 1}
    with pytest.raises(DataError) as caught:
        next(rows)
    assert str(caught.value) == f"{path}:2: {message}"


def test_a_bad_record_after_blank_lines_is_named_by_its_line_in_the_file(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text('\n{"kind":"mark","v":1,"at":1}\n\n{"kind":"mark","v":1,"at":"x"}\n')
    with pytest.raises(DataError) as caught:
        read_records(path, Mark)
    assert caught.value.line == 4


def test_appending_continues_after_a_torn_line(tmp_path: Path):
    path = tmp_path / "sub" / "a.jsonl"
    with Appender(path) as file:
        file.append(to_row(Mark(1)))
    with path.open("ab") as torn:
        torn.write(b'{"kind":"mark","v":1,"a' + b"x" * 10_000)
    with Appender(path) as file:
        file.append(to_row(Mark(2)))
        file.sync()
    assert path.read_bytes() == b'{"kind":"mark","v":1,"at":1}\n{"kind":"mark","v":1,"at":2}\n'
    assert read_records(path, Mark) == [Mark(1), Mark(2)]


def test_a_file_of_nothing_but_a_torn_line_starts_afresh(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":' + b"1" * 9000)
    with Appender(path) as file:
        file.append({"n": 2})
    assert path.read_bytes() == b'{"n":2}\n'


def test_each_row_is_on_disk_when_append_returns(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    file = Appender(path)
    file.append({"n": 1})
    assert path.read_bytes() == b'{"n":1}\n'
    file.close()
    file.close()


def test_a_row_that_json_cannot_carry_leaves_the_file_as_it_was(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    with Appender(path) as file:
        file.append({"n": 1})
        with pytest.raises(ValueError, match="not JSON compliant"):
            file.append({"n": float("nan")})
        file.append({"n": 2})
    assert list(read(path)) == [{"n": 1}, {"n": 2}]


def test_a_full_disk_loses_no_earlier_row(tmp_path: Path):
    """A process under a file-size limit writes until the limit cuts a row in two."""
    path = tmp_path / "a.jsonl"
    script = f"""
import pathlib, resource
from antiphon.errors import DataError
from antiphon.jsonl import Appender
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
with Appender(pathlib.Path({str(path)!r})) as file:
    try:
        for n in range(100):
            file.append({{"n": n, "pad": "x" * 80}})
    except DataError as error:
        print(n, error)
    file.append({{"n": "small"}})
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    problem = f"10 {path}: row not written (only 30 of 98 bytes fit); free some space and resume\n"
    assert done.stdout == problem
    assert [row["n"] for row in read(path)] == [*range(10), "small"]


def test_a_disk_that_takes_nothing_is_reported(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.symlink_to("/dev/full")
    with Appender(path) as file, pytest.raises(DataError) as caught:
        file.append({"n": 1})
    assert str(caught.value) == (
        f"{path}: row not written (No space left on device); free some space and resume"
    )


def test_a_path_that_cannot_be_a_file_is_reported(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "a.jsonl"):
        with pytest.raises(DataError, match="cannot be written"):
            Appender(path)
        with pytest.raises(DataError, match="not written"):
            write_text(path, "x")


def test_a_file_is_replaced_whole(tmp_path: Path):
    path = tmp_path / "sub" / "a.jsonl"
    write_rows(path, [{"n": 1}, {"n": 2}])
    write_rows(path, [{"n": 3}])
    assert path.read_bytes() == b'{"n":3}\n'
    write_text(path, "你")
    assert path.read_bytes() == "你".encode()
    assert list(path.parent.iterdir()) == [path]


def test_a_replacement_that_does_not_fit_leaves_the_old_file(tmp_path: Path):
    path = tmp_path / "a.json"
    write_bytes(path, b"old")
    script = f"""
import pathlib, resource
from antiphon.errors import DataError
from antiphon.jsonl import write_bytes
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_bytes(pathlib.Path({str(path)!r}), b"x" * 5000)
except DataError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{path}: not written (File too large)\n"
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_is_as_private_as_the_user_asked(tmp_path: Path):
    before = os.umask(0o077)
    try:
        write_text(tmp_path / "replaced", "x")
        Appender(tmp_path / "appended").close()
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"replaced": 0o600, "appended": 0o600}
