from __future__ import annotations

from typing import get_args

from antiphon.messages import ToolCall, ToolResult, says
from antiphon.realtime import events as e


def test_inputs_of_one_time_go_by_source_and_time_goes_first():
    played, words = e.Played(5, "i", 1), e.Words(5, "u", "x", 5)
    stopped, later = e.SpeechStopped(5, "u", 4), e.FrameIn(6)
    assert sorted([later, played, words, stopped], key=e.place) == [stopped, words, played, later]


def test_every_input_has_its_place():
    made = {"id": "x", "generation": 1, "utterance": "u", "item": "i", "text": "", "job": "j", "call_id": "c", "name": "n",
            "speaker": None, "enrolled": None, "value": 0.5, "granted": True, "onset_us": 0, "offset_us": 0, "end_us": 0,
            "ms": 0, "chars": 0, "call": ToolCall("c", "n", {}), "result": ToolResult("c"), "message": says("user", "x")}  # fmt: skip
    for kind in get_args(e.Input):
        fields = {name: made[name] for name in kind.__dataclass_fields__ if name in made}
        assert e.place(kind(t_us=7, **fields))[0] == 7
