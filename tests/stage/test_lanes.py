from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from antiphon.errors import ConfigError, DataError, ModelError, UnavailableError
from antiphon.stage.lanes import Stopped, answer, attempt
from antiphon.stage.outcome import Failed, Made

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.stage.outcome import Outcome


@pytest.mark.parametrize(
    "error",
    [
        ConfigError("no key; export it"),
        UnavailableError("whisper is not here", "pip install 'antiphon[local]'"),
        ModelError("http://x", "busy", transient=True, retry_after_us=5),
        DataError("a.jsonl", "not JSON", line=3, field="text"),
    ],
)
def test_an_error_of_the_tree_travels_between_processes_as_it_was(error: Exception) -> None:
    arrived = pickle.loads(pickle.dumps(Stopped.of(error))).error()
    assert (type(arrived), str(arrived), vars(arrived)) == (type(error), str(error), vars(error))


async def test_a_bug_travels_with_its_trace() -> None:
    async def worker(_: Sequence[str]) -> list[Outcome]:
        raise KeyError("tempo")

    stopped = await answer(worker, ["a"])
    assert isinstance(stopped, Stopped)
    arrived = pickle.loads(pickle.dumps(stopped)).error()
    assert (type(arrived), str(arrived)) == (RuntimeError, "KeyError: 'tempo'")
    assert 'raise KeyError("tempo")' in arrived.__notes__[0]


async def test_outcomes_keep_the_order_of_the_records_when_one_spoils_the_batch() -> None:
    async def worker(numbers: Sequence[int]) -> list[Outcome]:
        if 2 in numbers:
            raise ModelError("m", "too long")
        return [Made({"n": n}) for n in numbers]

    assert await attempt(worker, [1, 2, 3]) == [
        Made({"n": 1}), Failed("m: too long", transient=False), Made({"n": 3}),
    ]  # fmt: skip
