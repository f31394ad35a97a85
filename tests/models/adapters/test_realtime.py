from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.bench.folder import load
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError
from antiphon.models import catalog
from antiphon.models.adapters.realtime import open_chat
from antiphon.models.uri import parse
from antiphon.models.wire.dashscope import DASHSCOPE
from antiphon.models.wire.ga.dialect import BETA, GA
from tests.cli.commands import SCRIPTED, antiphon
from tests.models.adapters.realtime_server import SOUND, listening

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.models.adapters.realtime_chat import RealtimeChat

KEYS = ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "MY_KEY")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, f"secret of {name}")


def opened(text: str) -> RealtimeChat:
    return open_chat(parse(text), VirtualClock())  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("text", "url", "key", "dialect", "name"),
    [
        (
            "openai:gpt-realtime-2?voice=marin",
            "wss://api.openai.com/v1/realtime?model=gpt-realtime-2",
            "OPENAI_API_KEY", GA,
            "realtime+wss://api.openai.com/v1/realtime?voice=marin#gpt-realtime-2",
        ),
        (
            "dashscope:qwen-audio-3.1-realtime",
            "wss://dashscope.aliyuncs.com/api-ws/v1/realtime?model=qwen-audio-3.1-realtime",
            "DASHSCOPE_API_KEY", DASHSCOPE,
            "realtime+wss://dashscope.aliyuncs.com/api-ws/v1/realtime#qwen-audio-3.1-realtime",
        ),
        (
            "dashscope:qwen3-omni-flash-realtime?host=dashscope-intl.aliyuncs.com&key=MY_KEY",
            "wss://dashscope-intl.aliyuncs.com/api-ws/v1/realtime?model=qwen3-omni-flash-realtime",
            "MY_KEY", DASHSCOPE,
            "realtime+wss://dashscope-intl.aliyuncs.com/api-ws/v1/realtime#qwen3-omni-flash-realtime",
        ),
        (
            "realtime+wss://host/v1/realtime?model=a/b&key=MY_KEY&query.duplex=1&timeout_s=9",
            "wss://host/v1/realtime?model=a%2Fb&duplex=1",
            "MY_KEY", GA,
            "realtime+wss://host/v1/realtime?query.duplex=1#a/b",
        ),
        (
            "realtime+ws://127.0.0.1:8000?dialect=beta#m", "ws://127.0.0.1:8000/v1/realtime?model=m", "", BETA,
            "realtime+ws://127.0.0.1:8000/v1/realtime?dialect=beta#m",
        ),
    ],
)  # fmt: skip
def test_a_uri_says_where_with_which_key_and_in_which_dialect(text, url, key, dialect, name):
    chat = opened(text)
    address, setup = chat._setup.address, chat._setup
    assert (address.url, address.key.variable, setup.dialect, chat.name) == (url, key, dialect, name)
    assert not any(f"secret of {one}" in repr((setup, chat.name, chat.limits)) for one in KEYS)


@pytest.mark.parametrize(
    ("text", "url", "name"),
    [
        (
            "openai:gpt-live-1?backend=gpt-5&settle_ms=900", "wss://api.openai.com/v1/live/sessions",
            "realtime+wss://api.openai.com/v1/live/sessions?backend=gpt-5&settle_ms=900#gpt-live-1",
        ),
        (
            "realtime+ws://host:8000/v1/live/sessions#m", "ws://host:8000/v1/live/sessions",
            "realtime+ws://host:8000/v1/live/sessions#m",
        ),
        (
            "realtime+ws://host:8000?dialect=live&model=m&query.a=b", "ws://host:8000/v1/live/sessions?a=b",
            "realtime+ws://host:8000/v1/live/sessions?dialect=live&query.a=b#m",
        ),
    ],
)  # fmt: skip
def test_a_live_endpoint_is_known_by_its_path_or_its_models_name(text, url, name):
    chat = catalog.open_chat(text, VirtualClock())
    assert (open_chat(parse(text), VirtualClock())._setup.address.url, chat.name) == (url, name)  # type: ignore[attr-defined]


def test_openai_names_that_begin_with_gpt_realtime_go_to_the_realtime_endpoint():
    assert catalog.open_chat("openai:gpt-realtime-2", VirtualClock()).name == (
        "realtime+wss://api.openai.com/v1/realtime#gpt-realtime-2"
    )
    assert catalog.open_chat("openai:gpt-4o-audio-preview", VirtualClock()).name.startswith("openai+https://")


def test_a_plain_socket_gets_no_key_unless_it_is_asked_for():
    assert opened("realtime+ws://host/v1/realtime?model=m")._setup.address.key.value == ""
    assert (
        opened("realtime+ws://host/v1/realtime?model=m&key=MY_KEY")._setup.address.key.value
        == "secret of MY_KEY"
    )


def test_the_beta_dialect_is_announced():
    assert opened("realtime+ws://h/?model=m&dialect=beta")._setup.address.headers == {
        "OpenAI-Beta": "realtime=v1"
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("realtime+ws://host/v1/realtime", "write realtime+ws://HOST:PORT/v1/realtime?model=MODEL"),
        ("realtime+ws:m", "write realtime+ws://HOST:PORT/v1/realtime?model=MODEL"),
        ("dashscope:", "write dashscope:MODEL"),
        ("realtime+ws://h:80x/?model=m", "Port could not be cast to integer value"),
        ("realtime+ws://h/?model=m&dialect=gb", "no dialect 'gb'; there are: beta, dashscope, ga, live"),
        ("realtime+ws://h/?model=m&gives=smell", "no gives 'smell'; there are: speech, text"),
        ("realtime+ws://h/?model=m&voise=x", "no option 'voise'"),
        ("realtime+ws://h/v1/live/sessions?transcribe=x#m", "no option 'transcribe'"),
        ("realtime+ws://h/v1/live/sessions?settle_ms=1#m", "settle_ms is between 100 and 60000"),
        ("realtime+ws://h/?model=m&timeout_s=0", "timeout_s counts from 1"),
        ("realtime+ws://h/?model=m&attempts=0", "attempts counts from 1"),
        ("realtime+ws://u:p@h/?model=m", "a password in an address would end in every record"),
        ("realtime+wss://h/?model=m&key=sk-123", "key= takes the name of an environment variable"),
        ("realtime+wss://h/?model=m&key=NO_SUCH", "needs a key, and NO_SUCH is not set"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(text, message):
    with pytest.raises(ConfigError) as caught:
        opened(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("dialect", [GA, BETA, DASHSCOPE], ids=lambda dialect: dialect.name)
def test_a_run_measures_a_realtime_endpoint(tmp_path: Path, dialect):
    with listening(dialect) as endpoint:
        command = ("run", "--suite", "starter", "--limit", "2", "--system", endpoint.uri, *SCRIPTED)
        done = antiphon(*command, "--out", tmp_path / "run", "--json")
    assert done.code == 0, done.err
    results = load(tmp_path / "run")
    assert len(results.takes) == 2
    for take in results.takes.values():
        (said,) = take.replies
        assert (said.text, said.duration_s, said.finish) == (endpoint.reply, len(SOUND) / 48_000, "stop")
        assert 0 <= said.timing.first_token_us <= said.timing.first_audio_us <= said.timing.end_us
    spoken = "" if dialect is GA else f"?dialect={dialect.name}"
    assert results.manifest.system == f"{endpoint.uri.partition('?')[0]}{spoken}#m"
    assert len(endpoint.sent) == 2  # one session an item
    summaries = {(row["metric"], row["subset"]): row for row in done.json["summaries"]}
    assert summaries["first_audio_s", "chinese_knowledge"]["n"] == 2


@pytest.mark.usefixtures("own_cache")
def test_a_run_against_an_endpoint_that_refuses_says_why(tmp_path: Path):
    with listening() as endpoint:
        endpoint.faults = ["401", "401"]
        command = ("run", "--suite", "starter", "--limit", "2", "--system", endpoint.uri, *SCRIPTED)
        done = antiphon(*command, "--out", tmp_path / "run")
    results = load(tmp_path / "run")
    assert results.takes == {}
    assert len(results.failures) == 2
    assert all("401: a key is needed" in failure for failure in results.failures.values())
    assert done.code in (0, 1)
