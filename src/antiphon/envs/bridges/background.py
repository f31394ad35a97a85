"""An event loop in a thread of its own, for libraries that call without one: seats stay open in it between calls."""

from __future__ import annotations

import asyncio
import threading
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="antiphon-bridge", daemon=True).start()
    return loop


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run something in the loop of this process and wait for its result; not to be called from within it."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()
