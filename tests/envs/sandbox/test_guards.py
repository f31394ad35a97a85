from __future__ import annotations

import threading

import pytest

from antiphon.envs.sandbox.guards import in_words, lacking, lock_down
from antiphon.envs.sandbox.limits import DEFAULT


@pytest.mark.parametrize(
    ("on", "open_to"),
    [
        (["privileges", "limits", "namespaces", "landlock", "seccomp", "audit"], []),
        (["limits", "seccomp"], []),
        (["limits", "namespaces", "landlock"], ["processes"]),
        (["seccomp"], ["memory"]),
        (["limits", "audit"], ["files", "network", "processes"]),
        ([], ["files", "network", "processes", "memory"]),
    ],
)
def test_what_no_wall_keeps_out_is_named(on: list[str], open_to: list[str]):
    assert lacking(on) == open_to


def test_guards_are_told_in_one_line():
    assert in_words({"limits": "", "seccomp": ""}) == "limits, seccomp"
    assert in_words({"limits": "", "landlock": "ENOSYS"}) == "limits; without landlock: ENOSYS"
    assert in_words({"landlock": "ENOSYS"}) == "none; without landlock: ENOSYS"


def test_a_process_with_threads_is_not_locked_down():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with pytest.raises(RuntimeError, match="threads"):
            lock_down(DEFAULT, without=("privileges", "limits", "namespaces", "landlock", "seccomp", "audit"))
    finally:
        stop.set()
        thread.join()
