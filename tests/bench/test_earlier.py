"""Rows of an instrument that is replaced, and the stages that replace it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from antiphon.bench.earlier import make_room
from antiphon.bench.stages import Stages
from antiphon.stage.map import Settings
from antiphon.stage.outcome import Made
from antiphon.stage.progress import Silent


class Instrument:
    """Measures words, and counts what it was given."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.measured: list[str] = []

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[Instrument, None]:
        yield self

    async def __call__(self, words: Sequence[str]) -> list[Made]:
        self.measured += words
        return [Made({"kind": "measured", "v": 1, "by": self.name}) for _ in words]


def measure(out: Path, name: str, words: str = "ab") -> tuple[bytes, list[str]]:
    """The file after measuring with the instrument of that name, and what it had to measure for that."""
    instrument = Instrument(name)
    stages = Stages(Settings(), lambda _: Silent())
    stage = stages.instrument(
        "measure", list(words), instrument.opened, key=str, fingerprint={"by": name}, out=out
    )
    asyncio.run(stage)
    return out.read_bytes(), instrument.measured


def test_rows_of_another_instrument_are_set_aside_and_found_again(tmp_path: Path) -> None:
    out = tmp_path / "measures.jsonl"
    first, _ = measure(out, "one")
    second, measured = measure(out, "two")
    assert measured == ["a", "b"]
    assert (b'"one"' in second, b'"two"' in first) == (False, False)
    assert measure(out, "one") == (first, [])
    assert measure(out, "two") == (second, [])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".lock", "earlier", "measures.jsonl", "measures.stage.json",
    ]  # fmt: skip


def test_what_is_new_since_then_is_measured_alone(tmp_path: Path) -> None:
    out = tmp_path / "measures.jsonl"
    measure(out, "one")
    measure(out, "two", "abc")
    assert measure(out, "one", "abc")[1] == ["c"]


def test_the_same_instrument_moves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "measures.jsonl"
    first, _ = measure(out, "one")
    assert measure(out, "one") == (first, [])
    assert not (tmp_path / "earlier").exists()


@pytest.mark.parametrize("moves", range(4))
def test_a_kill_between_two_moves_loses_no_row(
    tmp_path: Path, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "measures.jsonl"
    first, _ = measure(out, "one")
    second, _ = measure(out, "two")
    left = moves
    replace = Path.replace

    def killed(path: Path, target: Path) -> Path:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        return replace(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            make_room(out, {"by": "one"})
    assert measure(out, "one") == (first, [])
    assert measure(out, "two") == (second, [])
