from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from antiphon.clock import VirtualClock
from antiphon.stage.progress import Bar, Lines, Silent, Tally, progress

SECOND_US = 1_000_000


def test_a_log_gets_a_line_every_ten_seconds_and_one_at_the_end() -> None:
    clock, said = VirtualClock(), list[str]()
    lines = Lines("takes", said.append, clock)
    lines.start(total=10, reused=2)
    for _ in range(8):
        clock.advance_us(4 * SECOND_US)
        lines.advance(done=1, failed=0)
    lines.stop()
    assert said == [
        "takes: 5/10, 2 reused, 4.0 s each, 0:20 left\n",
        "takes: 8/10, 2 reused, 4.0 s each, 0:08 left\n",
        "takes: 10/10, 2 reused, 4.0 s each, in 0:32\n",
    ]


def test_a_stage_with_nothing_to_do_says_so_in_one_line() -> None:
    said = list[str]()
    lines = Lines("takes", said.append, VirtualClock())
    lines.start(total=24, reused=24)
    lines.stop()
    assert said == ["takes: 24/24, 24 reused\n"]


@pytest.mark.parametrize(
    ("total", "done", "failed", "seconds", "words"),
    [
        (2000, 120, 3, 30, "120/2000, 3 failed, 4.0/s, 7:50 left"),
        (10_000, 10, 0, 40, "10/10000, 4.0 s each, 11:06:00 left"),
        (5, 0, 0, 40, "0/5"),
        (5, 5, 5, 0, "5/5, 5 failed"),
        (0, 0, 0, 0, "0/0"),
    ],
)
def test_a_tally_in_words(total: int, done: int, failed: int, seconds: int, words: str) -> None:
    clock = VirtualClock()
    tally = Tally(total, 0, clock)
    clock.advance_us(seconds * SECOND_US)
    tally.add(done, failed)
    assert str(tally) == words


def bar_after_three_of_four(console: Console) -> None:
    clock = VirtualClock()
    bar = Bar("takes", console, clock)
    bar.start(total=4, reused=1)
    clock.advance_us(2 * SECOND_US)
    bar.advance(done=2, failed=1)
    bar.stop()


def test_a_terminal_gets_one_line_with_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = StringIO()
    bar_after_three_of_four(Console(file=screen, force_terminal=True, width=100))
    last = next(line for line in reversed(screen.getvalue().splitlines()) if "takes" in line)
    assert "━" in last
    assert "3/4, 1 failed, 1 reused, 1.0/s, 0:01 left" in last
    assert "\x1b[38" in screen.getvalue() or "\x1b[9" in screen.getvalue()


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    screen = StringIO()
    bar_after_three_of_four(Console(file=screen, force_terminal=True, width=100))
    assert "3/4, 1 failed" in screen.getvalue()
    assert "\x1b[3" not in screen.getvalue()
    assert "\x1b[9" not in screen.getvalue()


def test_what_is_no_terminal_gets_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    clock = VirtualClock()
    lines = progress("scores", clock)
    lines.start(total=2, reused=0)
    clock.advance_us(SECOND_US)
    lines.advance(done=2, failed=0)
    lines.stop()
    assert capsys.readouterr() == ("", "scores: 2/2, 2.0/s, in 0:01\n")


def test_nobody_hears_a_silent_one(capsys: pytest.CaptureFixture[str]) -> None:
    silent = Silent()
    silent.start(2, 0)
    silent.advance(2, 1)
    silent.stop()
    assert capsys.readouterr() == ("", "")
