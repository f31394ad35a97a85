"""What stands between the microphone and the engine, by the names of `antiphon serve`'s options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.audio.aec import Aec3
from antiphon.errors import UnavailableError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.realtime.echo import Canceller

ECHO = ("off", "auto", "on")


def canceller(echo: str) -> Callable[[], Canceller] | None:
    """Makes one session's echo canceller; None where there is none.

    Raises UnavailableError for `on` without antiphon[echo]; `auto` then does without.
    """
    if echo not in ECHO:
        raise unknown("echo setting", echo, ECHO)
    if echo == "off":
        return None
    try:
        Aec3()  # loads the library, so that no session waits for it
    except UnavailableError:
        if echo == "on":
            raise
        return None
    return Aec3
