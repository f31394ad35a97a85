"""What stands between the microphone and the engine, by the names of `antiphon serve`'s options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.audio import files
from antiphon.audio.aec import Aec3
from antiphon.audio.resample import resample
from antiphon.errors import ConfigError, UnavailableError, unknown
from antiphon.models.adapters.resemblyzer import RATE_HZ, Resemblyzer
from antiphon.models.adapters.smart_turn import SmartTurn
from antiphon.realtime.live.speakers import LEAST_S, Lock

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.audio.clip import Clip
    from antiphon.realtime.live.echo import Canceller
    from antiphon.realtime.live.speakers import Speakers
    from antiphon.realtime.policy.end_of_turn import EndOfTurn

ECHO = ("off", "auto", "on")
END_OF_TURN = {"smart-turn": SmartTurn}
FIRST = "first"


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


async def end_of_turn(name: str | None) -> EndOfTurn | None:
    """The model that hears whether a turn is over, loaded. Raises ConfigError, UnavailableError."""
    if name is None:
        return None
    if name not in END_OF_TURN:
        raise unknown("end-of-turn model", name, END_OF_TURN)
    model = END_OF_TURN[name]()
    await model.warm()
    return model


async def speakers(lock: str | None) -> Callable[[], Speakers] | None:
    """Makes one session's speaker lock: on who speaks first, or on the voice in a sound file.

    Raises ConfigError, UnavailableError, and DataError for a file that is none.
    """
    if lock is None:
        return None
    sound = None if lock == FIRST else _recording(Path(lock))
    encoder = Resemblyzer()
    await encoder.warm()
    if sound is None:
        return lambda: Lock(encoder)
    key = await encoder.embed(sound.samples) if sound.duration_s >= LEAST_S else None
    if key is None:
        raise ConfigError(f"--speaker-lock {lock}: needs at least {LEAST_S:g} s of speech; four are better")
    return lambda: Lock(encoder, key)


def _recording(path: Path) -> Clip:
    if not path.is_file():
        raise ConfigError(f"--speaker-lock {path}: no such file; name a recording of the person, or {FIRST}")
    return resample(files.read(path), RATE_HZ)
