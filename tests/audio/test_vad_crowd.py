from __future__ import annotations

import threading

import numpy as np
import pytest

from antiphon.audio.vad import WINDOW
from antiphon.audio.vad_crowd import Crowd


def loudness(windows: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A network whose probability is the last sample, and whose state counts windows."""
    return windows[:, -1], states + 1


def ramp(count: int, start: float = 0.0) -> np.ndarray:
    """Windows that end in start, start + 0.01, …"""
    return np.repeat(start + np.arange(count) / 100, WINDOW).astype(np.float32)


def test_a_few_streams_are_answered_at_once():
    one = Crowd(loudness, alone=1, gather_s=None).stream()
    assert one.push(ramp(2)[:700]) == [0.0]
    assert one.push(ramp(2)[700:]) == pytest.approx([0.01])
    assert float(one.state[0, 0]) == 2


def test_many_streams_share_a_batch_and_keep_their_own_order_and_state():
    crowd = Crowd(loudness, alone=1, gather_s=None)
    one, two = crowd.stream(), crowd.stream()
    assert one.push(ramp(2)) == []
    assert two.push(ramp(1, 0.5)) == []
    assert [crowd.run_once() for _ in range(3)] == [2, 1, 0]
    assert one.push(np.zeros(0, dtype=np.float32)) == pytest.approx([0.0, 0.01])
    assert two.push(np.zeros(0, dtype=np.float32)) == pytest.approx([0.5])
    assert (float(one.state[0, 0]), float(two.state[0, 0])) == (2, 1)


def test_a_stream_that_waits_is_not_overtaken_when_the_others_have_gone():
    crowd = Crowd(loudness, alone=1, gather_s=None)
    one, two = crowd.stream(), crowd.stream()
    one.push(ramp(1))
    del two
    assert one.push(ramp(1, 0.5)) == []
    while crowd.run_once():
        pass
    assert one.push(ramp(1, 0.9)) == pytest.approx([0.0, 0.5, 0.9])


def test_a_network_that_breaks_in_the_thread_is_told_at_the_next_push():
    broke = threading.Event()

    def broken(windows: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        broke.set()
        raise RuntimeError("no ears")

    crowd = Crowd(broken, alone=0, gather_s=0.0)
    stream = crowd.stream()
    stream.push(ramp(1))
    assert broke.wait(5)
    crowd._thread.join(5)
    with pytest.raises(RuntimeError, match="no ears"):
        stream.push(ramp(1))


def test_a_thread_that_is_stopped_ends_after_its_batch_and_leaves_the_rest():
    inside, go_on = threading.Event(), threading.Event()
    calls: list[int] = []

    def slow(windows: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls.append(len(windows))
        inside.set()
        assert go_on.wait(5)
        return loudness(windows, states)

    crowd = Crowd(slow, alone=0, gather_s=0.0)
    stream = crowd.stream()
    stream.push(ramp(3))
    assert inside.wait(5)
    ending = threading.Thread(target=crowd.stop)
    ending.start()
    while not crowd._stopped:
        ending.join(0.001)
    go_on.set()
    ending.join(5)
    assert not ending.is_alive()
    assert crowd._thread is not None
    assert not crowd._thread.is_alive()
    assert (calls, stream.waiting) == ([1], 2)


def test_a_crowd_that_was_stopped_before_it_began_starts_no_thread():
    crowd = Crowd(loudness, alone=0)
    crowd.stop()
    crowd.stream().push(ramp(1))
    assert crowd._thread is None
