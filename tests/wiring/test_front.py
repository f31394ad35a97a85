from __future__ import annotations

import builtins
from typing import Any

import pytest

from antiphon.audio.aec import Aec3
from antiphon.errors import UnavailableError
from antiphon.wiring.front import canceller


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
