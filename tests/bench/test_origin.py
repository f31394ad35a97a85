from __future__ import annotations

from antiphon import __version__
from antiphon.bench.origin import clock_for, machine, stamp
from antiphon.clock import RealClock


def test_a_scripted_run_has_the_same_date_and_no_machine() -> None:
    assert stamp("scripted:echo") == {
        "antiphon": __version__,
        "made_at": "2000-01-01T00:00:00+00:00",
        "machine": "scripted",
        "python": stamp("")["python"],
    }


def test_a_real_run_names_date_and_machine() -> None:
    real = stamp("openai:gpt")
    assert real["machine"] == machine()
    assert real["made_at"][:4] >= "2024"


async def test_a_paced_script_takes_real_time() -> None:
    clock, real = clock_for("scripted:echo"), RealClock()
    began_us = real.mono_us()
    await clock.sleep_us(2_000)
    assert real.mono_us() - began_us >= 2_000
    assert clock.utc() == clock_for("scripted:other").utc()
