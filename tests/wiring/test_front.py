from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.audio import files
from antiphon.audio.aec import Aec3
from antiphon.audio.clip import Clip
from antiphon.errors import ConfigError, UnavailableError
from antiphon.wiring.front import canceller, end_of_turn, speakers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_echo_is_cancelled_where_the_library_is_there():
    pytest.importorskip("livekit.rtc.apm", reason="pip install 'antiphon[echo]'")
    assert canceller("auto") is Aec3
    assert canceller("on") is Aec3
    assert canceller("off") is None


def test_without_the_library_auto_does_without_and_on_says_what_is_missing(monkeypatch: pytest.MonkeyPatch):
    found = builtins.__import__

    def no_livekit(name: str, *more: Any, **named: Any) -> Any:
        if name.startswith("livekit"):
            raise ImportError(name)
        return found(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", no_livekit)
    assert canceller("auto") is None
    with pytest.raises(UnavailableError, match=r"antiphon\[echo\]"):
        canceller("on")


async def test_nothing_is_loaded_unasked_and_unknown_names_are_said():
    assert await end_of_turn(None) is None
    assert await speakers(None) is None
    with pytest.raises(ConfigError, match="no end-of-turn model 'ears'; there are: smart-turn"):
        await end_of_turn("ears")
    with pytest.raises(ConfigError, match="no such file; name a recording of the person, or first"):
        await speakers("nobody.wav")


@pytest.mark.weights
async def test_a_recording_is_a_key_and_each_session_learns_its_own_without(
    weights: Callable[..., list[Path]], tmp_path: Path
):
    weights("resemblyzer")
    sound = np.random.default_rng(0).normal(0, 0.1, 16_000 * 2).astype(np.float32)
    path = tmp_path / "person.wav"
    files.write(path, Clip(sound, 16_000))
    locked = await speakers(str(path))
    assert locked is not None
    assert (await locked().known(Clip(sound, 16_000).pcm16())).enrolled is True
    first = await speakers("first")
    assert first is not None
    assert first() is not first()
    assert (await first().known(Clip(sound, 16_000).pcm16())).likeness is None
    files.write(path, Clip(sound[:8000], 16_000))
    with pytest.raises(ConfigError, match="at least 1 s of speech"):
        await speakers(str(path))
