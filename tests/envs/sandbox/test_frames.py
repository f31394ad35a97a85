from __future__ import annotations

import os

import msgspec

from antiphon.envs.sandbox.frames import HEAD, Answer, Request, length, pack, take


def test_a_frame_is_its_length_and_json():
    frame = pack(Answer(token="t", value={"名": 1}))
    assert length(frame[:HEAD]) == len(frame) - HEAD
    assert frame[HEAD:] == '{"token":"t","value":{"名":1}}'.encode()


def test_frames_are_taken_one_by_one_and_none_when_the_other_side_is_gone():
    reading, writing = os.pipe()
    asked = Request("call", "tools.py", tool="find", arguments={"title": "Emma"})
    os.write(writing, pack(asked) + pack(asked)[:-1])
    os.close(writing)
    body = take(reading)
    assert body is not None
    assert msgspec.json.decode(body, type=Request) == asked
    assert take(reading) is None  # torn
    os.close(reading)
