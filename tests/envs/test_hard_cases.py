from __future__ import annotations

from pathlib import Path
from typing import Any

from antiphon.envs.assertions import Violation
from antiphon.envs.hard_cases import (
    HardCase,
    collect,
    merge,
    patterns,
    read_cases,
    tags_by_failures,
    write_cases,
)
from antiphon.envs.verdict import Verdict
from tests.envs.desk import open_desk


def verdict(task: str = "lend_emma", *, passed: bool | None = False, **more: Any) -> Verdict:
    status = "invalid" if passed is None else "valid"
    given: dict[str, Any] = {"outcome": "write", "stop": "partner_hung_up", **more}
    return Verdict("desk", task, 0, 0, "scripted:a", "scripted:b", status=status, passed=passed, scoring="strict", **given)  # fmt: skip


def test_patterns_are_general():
    failed = verdict(
        state=("/loans/L101 must be {}, and is not there",), writes=("/members/4711/card", "/members/4712/card"),
        violations=(Violation("Must find before lending.", "step 3"), Violation("Must be polite.", "rude")),
    )  # fmt: skip
    assert list(patterns(failed, {"Must find before lending.": "called_before", "Must be polite.": ""})) == [
        "wrote nothing or the wrong thing", "unauthorised write: members", "broke: called_before", "broke: in words",
    ]  # fmt: skip
    assert list(patterns(verdict(stop="turn_limit"), {})) == ["stopped: turn_limit"]
    assert list(patterns(verdict(outcome="refusal", state=("/loans/L101 changed",)), {})) == [
        "wrote what it must not"
    ]


def test_what_passed_or_does_not_count_has_no_pattern():
    assert list(patterns(verdict(passed=True), {})) == []
    assert list(patterns(verdict(passed=None, state=("x",)), {})) == []


def test_cases_are_counted_and_the_commonest_comes_first(tmp_path: Path):
    domain = open_desk(tmp_path)
    state = ("/loans/L101 must be {}, and is not there",)
    found = collect(
        domain,
        [
            verdict(state=state, tags=("state",), reason="terminal state: first"),
            verdict(state=state, tags=("state", "spoken_number"), reason="terminal state: second"),
            verdict("refuse_second", outcome="refusal", violations=(Violation("Must not lend.", "step 2"),), reason="r"),
            verdict(passed=True),
        ],
        generation=1,
    )  # fmt: skip
    assert found == [
        HardCase("wrote nothing or the wrong thing", 2, {"lend_emma": 2}, {"state": 2, "spoken_number": 1}, "terminal state: second", 1),
        HardCase("broke: not_called", 1, {"refuse_second": 1}, {}, "r", 1),
    ]  # fmt: skip
    assert tags_by_failures(found) == {"state": 2, "spoken_number": 1}


def test_the_list_grows_over_generations(tmp_path: Path):
    path = tmp_path / "hard_cases.jsonl"
    assert read_cases(path) == []
    write_cases(path, [HardCase("a", 2, {"t1": 2}, {"x": 1}, "old", 1), HardCase("b", 1, {"t2": 1})])
    merged = merge(
        read_cases(path), [HardCase("a", 3, {"t1": 1, "t3": 2}, {}, "new", 2), HardCase("c", 9, {"t": 9})]
    )
    assert merged == [
        HardCase("c", 9, {"t": 9}), HardCase("a", 5, {"t1": 3, "t3": 2}, {"x": 1}, "new", 2), HardCase("b", 1, {"t2": 1}),
    ]  # fmt: skip
