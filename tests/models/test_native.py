from __future__ import annotations

import asyncio
import threading

import pytest

from antiphon.errors import UnavailableError
from antiphon.models.native import Engine, Engines, need


def test_a_missing_package_names_the_extra() -> None:
    need("json")
    with pytest.raises(UnavailableError) as caught:
        need("no_such_package")
    assert str(caught.value) == "the package no_such_package is missing; pip install 'antiphon[local]'"


async def test_a_model_is_loaded_once_and_used_by_one_thread_at_a_time() -> None:
    loads: list[str] = []
    inside = 0
    most = 0
    meet = threading.Event()

    def load() -> str:
        loads.append("loaded")
        return "model"

    def work(model: str) -> str:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        meet.wait(0.01)
        inside -= 1
        return model

    engine = Engine(load)
    await engine.warm()
    assert await asyncio.gather(*(engine.run(work) for _ in range(5))) == ["model"] * 5
    assert (loads, most) == (["loaded"], 1)


async def test_a_load_that_fails_is_tried_again_at_the_next_call() -> None:
    outcomes: list[object] = [OSError("disk gone"), "model"]

    def load() -> object:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    engine = Engine(load)
    with pytest.raises(OSError, match="disk gone"):
        await engine.warm()
    assert await engine.run(lambda model: model) == "model"


def test_equal_settings_share_an_engine() -> None:
    engines: Engines[str] = Engines()
    first = engines.get(("a", 2), lambda: "a")
    assert engines.get(("a", 2), lambda: "never") is first
    assert engines.get(("a", 3), lambda: "b") is not first
