from __future__ import annotations

import pytest

from antiphon.audio.clip import Clip, join
from antiphon.bench.live import Tail, Talk
from antiphon.clock import RealClock, VirtualClock
from antiphon.errors import ConfigError
from antiphon.models.scripted import Line
from antiphon.wiring.full_duplex import Endpoint, OwnEngine, live_venue, open_system
from tests.bench.talking import level_at
from tests.realtime.serving import RATE_HZ, noise, served, stack

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
        (
            "openai:gpt-4o",
            "openai:gpt-4o: only Realtime models of api.openai.com, such as gpt-realtime-2, are",
        ),
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


def test_the_tail_is_part_of_the_venue():
    assert live_venue().tail == Tail(8.0, 1.5, 30.0)
    assert live_venue(Tail(1.0)).tail.wait_s == 1.0


async def test_an_endpoint_over_a_socket_is_kept_in_time():
    """A burst of noise from 0.2 to 1.0 s; the server answers with a tone for each letter."""
    pytest.importorskip("starlette")
    person = join([
        Clip.silence(0.2, RATE_HZ), Clip.from_pcm16(noise(800), RATE_HZ), Clip.silence(0.4, RATE_HZ),
    ])  # fmt: skip
    async with served(stack([Line(text="Yes, of course.")])) as server:
        system = open_system(f"realtime+ws://127.0.0.1:{server.port}/v1/realtime?model=m", RealClock())
        await system.warm()
        async with system.session("", ()) as session:
            talk = Talk(session, RealClock(), {})
            await talk.run(person, Tail(wait_s=6.0, after_s=0.2, most_s=10.0))
    assert (talk.text, talk.troubles) == ("Yes, of course.", [])
    sounds = [ms for ms in range(0, int(talk.track.duration_s * 1000), 10) if level_at(talk.track, ms)]
    assert 1000 < sounds[0] < 6000
    assert 800 <= sounds[-1] - sounds[0] <= 1000  # fifteen characters of 60 ms
