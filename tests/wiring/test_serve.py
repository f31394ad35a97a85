from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError
from antiphon.models.cascade import PROMPTS
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.server.stack import Limits
from antiphon.wiring.serve import WORDS_US, Serving, hall, patient

FAKE = Serving(
    system="cascade:?transcriber=scripted:?text=hi&chat=scripted:echo&synthesizer=scripted:&system=Be brief.",
    vad="energy",
    names=("Anna",),
)


async def test_a_cascade_is_taken_apart_into_ears_model_and_voice():
    made = await hall(FAKE, VirtualClock())
    parts = made.stack.parts
    assert [
        part.name.split(":")[0] for part in (parts.transcriber, parts.chat, parts.renderer.synthesizer)
    ] == ["scripted"] * 3
    assert made.stack.name.startswith("scripted: cascade:?")
    assert made.stack.system("hello") == "Be brief."
    assert made.stack.settings.names == ("Anna",)
    assert made.stack.policy.words_us == WORDS_US


async def test_another_model_gets_ears_and_a_voice_and_the_prompt_of_the_persons_language():
    made = await hall(
        Serving(system="scripted:echo", transcriber="scripted:", synthesizer="scripted:"), VirtualClock()
    )
    assert made.stack.name == "scripted:echo"
    assert made.stack.system("现在几点？") == PROMPTS["zh"]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (Serving(vad="ears"), "no voice activity detector 'ears'; there are: energy, silero"),
        (Serving(host="0.0.0.0"), "open to the network"),
        (Serving(echo="loud"), "no echo setting 'loud'; there are: auto, off, on"),
        (Serving(policy="rude"), "no turn policy 'rude'"),
        (Serving(system="nonsense"), "names no model"),
        (Serving(permissions=("pay=allow",)), "--permission is for the tools of a --domain"),
        (Serving(domain="nowhere"), "no domain 'nowhere'"),
        (Serving(redact=True), "name a folder with --record"),
        (Serving(keep=Path("kept"), domain="clinic_desk_zh"), "--keep keeps no database"),
        (
            Serving(keep=Path("kept"), record=Path("all"), redact=True),
            "--keep writes what is said as it is said",
        ),
        (Serving(keep=Path("kept"), limits=Limits(resume_s=0)), "let --resume-s be more than 0"),
        (Serving(trace_content=True), "set OTEL_EXPORTER_OTLP_ENDPOINT"),
    ],
)
async def test_what_cannot_be_served_is_said_before_anything_is_loaded(asked, problem, monkeypatch):
    for name in ("ANTIPHON_SERVE_KEY", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigError, match=problem):
        await hall(asked, VirtualClock())


async def test_recordings_and_the_policy_they_were_made_with_are_known(tmp_path):
    asked = Serving(
        system="scripted:echo", transcriber="scripted:", synthesizer="scripted:", record=tmp_path, redact=True,
        retention_days=7, policy="always-answer",
    )  # fmt: skip
    kept = (await hall(asked, VirtualClock())).stack.record
    assert kept is not None
    assert (kept.folder, kept.days, kept.redact, kept.policy) == (tmp_path, 7, True, "always-answer")
    assert kept.times == {"pause_us": 300_000}
    patient = replace(asked, policy="default")
    kept = (await hall(patient, VirtualClock())).stack.record
    assert kept is not None
    assert (kept.times["words_us"], kept.times["question_us"]) == (WORDS_US, 250_000)


@pytest.mark.parametrize("name", ["default", "scores", "semantic"])
def test_rules_wait_for_late_words_also_within_another_policy(name: str):
    policy: Any = patient(policy_named(name))
    assert getattr(policy, "otherwise", policy).words_us == WORDS_US
    assert patient(policy_named("always-answer")) == policy_named("always-answer")
