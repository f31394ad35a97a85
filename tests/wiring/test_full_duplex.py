from __future__ import annotations

import pytest

from antiphon.bench.live import Tail
from antiphon.clock import RealClock, VirtualClock
from antiphon.errors import ConfigError
from antiphon.wiring.full_duplex import Endpoint, OwnEngine, live_stage, open_system

ENGINE = (
    "engine:?system=cascade:%3Ftranscriber=scripted:%3Ftext=hi%26chat=scripted:echo%26synthesizer=scripted:"
    "&vad=energy&names=Anna,安娜"
)


def test_an_endpoint_is_talked_with_as_it_is_measured():
    system = open_system("realtime+ws://127.0.0.1:9/v1/realtime?model=m", RealClock())
    assert isinstance(system, Endpoint)
    assert system.name == "realtime+ws://127.0.0.1:9/v1/realtime#m"


def test_the_engine_is_named_by_its_policy_and_its_parts():
    system = open_system(ENGINE, VirtualClock())
    assert isinstance(system, OwnEngine)
    assert system.name.startswith(
        "scripted: engine called Anna, 安娜: policy default, voice detector energy, scripted:"
    )
    assert system.serving.names == ("Anna", "安娜")
    cascade = open_system(
        "cascade:?transcriber=scripted:&chat=scripted:echo&synthesizer=scripted:", VirtualClock()
    )
    assert isinstance(cascade, OwnEngine)
    assert cascade.serving.vad == "silero"


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("scripted:echo", "no live system 'scripted:'; there are: dashscope, engine, openai, realtime"),
        ("engine:cascade", "write engine:\\?system=cascade&policy=default"),
        (
            "engine:?polcy=x",
            "no option 'polcy'; engine: takes system, transcriber, synthesizer, policy, vad, names",
        ),
    ],
)
def test_what_cannot_be_talked_with_is_refused(uri: str, problem: str):
    with pytest.raises(ConfigError, match=problem):
        open_system(uri, VirtualClock())


def test_the_tail_is_part_of_the_stage():
    assert live_stage().tail == Tail(8.0, 1.5, 30.0)
    assert live_stage(Tail(1.0)).tail.wait_s == 1.0
