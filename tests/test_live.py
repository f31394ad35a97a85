from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import get_args

import pytest

from antiphon.live import (
    FRAME_US,
    AudioFrame,
    AudioOut,
    Cancel,
    ClientEvent,
    EndTurn,
    History,
    LiveError,
    LiveUsage,
    Played,
    SendText,
    SendToolResult,
    ServerEvent,
    TextOut,
    ToolAsked,
    TurnEdge,
    Update,
)


def test_a_frame_is_twenty_milliseconds():
    pcm = bytes(2 * 24000 * FRAME_US // 1_000_000)
    frame = AudioFrame(3 * FRAME_US, "person", pcm, 24000)
    assert (FRAME_US, frame.t_us, len(frame.pcm)) == (20_000, 60_000, 960)


def test_each_side_sends_its_own_events_and_no_other():
    assert get_args(ClientEvent) == (
        AudioFrame, SendText, History, EndTurn, SendToolResult, Played, Cancel, Update,
    )  # fmt: skip
    assert get_args(ServerEvent) == (AudioOut, TextOut, ToolAsked, TurnEdge, LiveUsage, LiveError)


def test_an_event_does_not_change_once_sent():
    with pytest.raises(FrozenInstanceError):
        Played("item", 100).ms = 200
    assert Update() == Update(instructions=None, tools=None)
