from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError
from antiphon.messages import says
from antiphon.models import catalog
from antiphon.models.catalog import ENTRIES, PORTS, Report, check, entries
from antiphon.models.ports import Done, Request, collect
from antiphon.models.retry import Limits, RetriedChat


class Whistle:
    """What a third party's entry point offers: a chat model and nothing else."""

    name = "whistle:"
    accepts = gives = frozenset({"text"})
    limits = Limits("http://whistle")

    async def stream(self, request):
        yield Done("stop", 1)

    @staticmethod
    def open_chat(uri, clock):
        return Whistle()


@pytest.fixture
def third_party(monkeypatch):
    """Entry points as if packages had been installed; each module is this file's class or missing."""

    def install(**values):
        points = [EntryPoint(name, value, catalog.GROUP) for name, value in values.items()]
        monkeypatch.setattr(catalog, "entry_points", lambda group: points if group == catalog.GROUP else [])
        monkeypatch.setitem(sys.modules, "whistle_adapter", sys.modules[__name__])

    return install


def test_every_target_exists():
    for entry in ENTRIES:
        module, _, function = entry.target.partition(":")
        assert callable(getattr(import_module(module), function)), entry


def test_every_example_opens_the_port_that_it_stands_for():
    assert {entry.port for entry in ENTRIES} == set(PORTS)
    assert len({(entry.port, entry.scheme) for entry in ENTRIES}) == len(ENTRIES)
    assert all(entry.example.startswith(f"{entry.scheme}:") for entry in ENTRIES)


def test_the_catalog_loads_nothing_heavy_and_no_adapter():
    code = (
        "import sys, antiphon.models.catalog; "
        "print([m for m in sys.modules if m.split('.')[0] in ('torch', 'httpx', 'onnxruntime', 'soundfile') "
        "or m.startswith('antiphon.models.adapters.')])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


@pytest.mark.parametrize(
    ("opener", "uri", "problem"),
    [
        (
            catalog.open_chat,
            "nonsense:x",
            "no chat scheme 'nonsense:'; there are: cascade:, dashscope:, embedded:, hf:, llama:",
        ),
        (catalog.open_chat, "whisper:base", "whisper: is a transcriber"),
        (catalog.open_scorer, "openai:x", "openai: is a chat and a synthesizer and a transcriber"),
        (catalog.open_transcriber, "base", "names no model: write SCHEME:PATH"),
    ],
)
def test_a_wrong_scheme_names_the_choices(opener, uri, problem):
    with pytest.raises(ConfigError) as caught:
        opener(uri, VirtualClock())
    assert problem in str(caught.value)


def test_an_endpoint_comes_with_retries_and_a_fake_does_not():
    clock = VirtualClock()
    assert isinstance(catalog.open_chat("openai+http://127.0.0.1:1/v1#m", clock), RetriedChat)
    assert not isinstance(catalog.open_chat("scripted:echo", clock), RetriedChat)
    names = [
        catalog.open_transcriber("openai+http://127.0.0.1:1/v1#m", clock).name,
        catalog.open_synthesizer("openai+http://127.0.0.1:1/v1?voice=v#m", clock).name,
    ]
    assert names == ["openai+http://127.0.0.1:1/v1#m", "openai+http://127.0.0.1:1/v1?voice=v&rate_hz=24000#m"]


def test_embedded_is_another_name_for_cascade():
    uri = "{}:?transcriber=scripted:&chat=scripted:echo&synthesizer=scripted:"
    a, b = (catalog.open_chat(uri.format(scheme), VirtualClock()) for scheme in ("cascade", "embedded"))
    assert a.name == b.name


async def test_a_third_party_adds_a_scheme(third_party):
    third_party(whistle="whistle_adapter:Whistle", scripted="whistle_adapter:Whistle")
    added = entries()[len(ENTRIES) :]
    assert [(entry.port, entry.scheme, entry.example) for entry in added] == [("chat", "whistle", "whistle:")]
    assert isinstance(catalog.open_chat("whistle:", VirtualClock()), RetriedChat)
    assert catalog.open_chat("scripted:echo", VirtualClock()).name.startswith("scripted:")
    with pytest.raises(ConfigError, match="whistle: is a chat"):
        catalog.open_transcriber("whistle:", VirtualClock())


def test_a_third_party_that_does_not_load_is_listed_as_broken(third_party):
    third_party(gone="no_such_module_here:x")
    (entry,) = entries()[len(ENTRIES) :]
    assert entry.what.startswith("broken: the adapter gone: (no_such_module_here:x) does not load")
    with pytest.raises(ConfigError, match="does not load: No module named 'no_such_module_here'"):
        catalog.open_chat("gone:", VirtualClock())


@pytest.mark.parametrize(
    ("uri", "port", "said"),
    [
        ("scripted:echo", "chat", "'hello' and 3.0 s of speech"),
        (
            "cascade:?transcriber=scripted:&chat=scripted:echo&synthesizer=scripted:",
            "chat",
            "'hello' and 0.4 s of speech",
        ),
    ],
)
async def test_checking_makes_one_real_call(uri, port, said):
    report = await check(uri, VirtualClock())
    assert (report.works, report.port, report.said) == (True, port, said)
    assert report.say().startswith(f"{uri} works as {port} (scripted:")


async def test_every_port_has_a_trial(monkeypatch):
    said = {}
    for port in PORTS:
        monkeypatch.setattr(catalog, "_ports_of", lambda text, port=port: [port])
        report = await check("scripted:echo" if port == "chat" else "scripted:", VirtualClock())
        assert report.works, report
        said[port] = report.said
    assert said["transcriber"] == "'hello' in half a second of a tone"
    assert said["synthesizer"] == "0.4 s of speech at 24000 Hz"
    assert said["scorer"].startswith("scripted_mos ")


async def test_what_does_not_work_is_told_in_one_line():
    clock = VirtualClock()
    assert await check("nonsense:", clock) == Report(
        "nonsense:", "model", "", False,
        "no scheme 'nonsense:'; there are: " + ", ".join(sorted({f"{entry.scheme}:" for entry in ENTRIES})),
    )  # fmt: skip
    failing = await check("scripted:echo?fail=400:1", clock)
    assert failing.say().startswith("scripted:echo?fail=400:1 does not work: scripted:echo")
    assert failing.port == "chat"


async def test_the_adapter_in_the_documentation_works(monkeypatch, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (toml,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "parrot.py").write_text(code, "utf-8")
    announced = tomllib.loads(toml)["project"]["entry-points"][catalog.GROUP]
    points = [EntryPoint(name, value, catalog.GROUP) for name, value in announced.items()]
    monkeypatch.setattr(catalog, "entry_points", lambda group: points)
    monkeypatch.syspath_prepend(tmp_path)
    chat = catalog.open_chat("parrot:?suffix=!", VirtualClock())
    reply = await collect(chat, Request((says("user", "你好"),)))
    assert (reply.text, chat.name) == ("你好!", "parrot:1.0 suffix=!")
    agent = catalog.open_chat(
        "cascade:?transcriber=scripted:&chat=parrot:&synthesizer=scripted:", VirtualClock()
    )
    assert (await collect(agent, Request((says("user", "你好"),)))).clip is not None
    with pytest.raises(ConfigError, match="no option 'sufix'"):
        catalog.open_chat("parrot:?sufix=!", VirtualClock())
    monkeypatch.delitem(sys.modules, "parrot")
