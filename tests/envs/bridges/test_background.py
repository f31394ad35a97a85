from __future__ import annotations

import asyncio

import pytest

from antiphon.envs.bridges.background import wait_for


async def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


async def _fail() -> None:
    raise ValueError("inside")


def test_everything_runs_in_one_loop_whoever_calls():
    first = wait_for(_loop())
    assert wait_for(_loop()) is first
    with pytest.raises(ValueError, match=r"^inside$"):
        wait_for(_fail())


async def test_it_can_be_waited_for_where_a_loop_is_running_already():
    assert wait_for(_loop()) is not asyncio.get_running_loop()


def test_what_was_begun_goes_on_between_calls():
    async def begin() -> asyncio.Task[int]:
        return asyncio.create_task(asyncio.sleep(0, 5))

    async def end(begun: asyncio.Task[int]) -> int:
        return await begun

    assert wait_for(end(wait_for(begin()))) == 5
