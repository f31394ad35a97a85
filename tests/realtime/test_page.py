"""The live page in a real browser, whose microphone plays a synthesized person."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.audio.clip import Clip, join
from antiphon.audio.files import write
from antiphon.audio.resample import resample
from antiphon.clock import RealClock, VirtualClock
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import speak
from antiphon.models.scripted import Line
from antiphon.models.scripted_instruments import ScriptedTranscriber
from tests.bench.test_page_in_a_browser import PROGRAM, Browser
from tests.realtime.serving import served, stack

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.realtime.serving import Served

pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="no Chromium here (Debian: apt-get install chromium)"),
    pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="no espeak-ng here"),
    pytest.mark.timeout(120),
]
ANSWER = (
    "The library opens at nine in the morning on weekdays. On Saturdays it opens one hour later, at ten. "
    "On Sundays and on public holidays it stays closed, but you can return your books at any time of the day."
)


def person(path: Path, *parts: str | float) -> Path:
    """A microphone's file: sentences, and seconds of silence."""
    voice = open_synthesizer("espeak:en-us", VirtualClock())
    clips = [
        resample(asyncio.run(speak(voice, part)), 48_000)
        if isinstance(part, str)
        else Clip.silence(part, 48_000)
        for part in parts
    ]
    write(path, join(clips))
    return path


@contextmanager
def running() -> Generator[Served]:
    """The server in a thread of its own."""
    ready, over, found = threading.Event(), threading.Event(), list[Any]()

    async def serve() -> None:
        clock = RealClock()
        made = stack(
            [Line(text=ANSWER)],
            synthesizer=open_synthesizer("espeak:en-us", clock),
            transcriber=ScriptedTranscriber(clock, default="What time does the library open?"),
        )
        async with served(made) as server:
            found.append(server)
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(20)
        yield found[0]
    finally:
        over.set()
        thread.join(20)


@contextmanager
def browsing(tmp_path: Path, microphone: Path) -> Generator[Browser]:
    flags = (
        "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-audio-capture={microphone}%noloop",
    )  # fmt: skip
    browser = Browser(tmp_path / "profile", flags)
    try:
        yield browser
    finally:
        browser.close()


def until(browser: Browser, condition: str, patience_s: int = 20) -> Any:
    """The value of an expression once it is something."""
    return browser.ask(
        f"new Promise((done, failed) => {{ const began = performance.now(); const look = () => {{"
        f" const found = {condition}; if (found) done(found);"
        f" else if (performance.now() - began > {patience_s * 1000}) failed(new Error('waited in vain'));"
        f" else setTimeout(look, 50); }}; look(); }})"
    )


def keep(browser: Browser, name: str) -> None:
    """A picture for who wants to look: ANTIPHON_PICTURES names a folder."""
    if folder := os.environ.get("ANTIPHON_PICTURES"):
        (Path(folder) / f"{name}.png").write_bytes(browser.picture())


@pytest.mark.slow
def test_a_spoken_question_is_answered_and_an_interruption_is_heard(tmp_path: Path):
    microphone = person(
        tmp_path / "mic.wav", 1.0, "What time does the library open?", 5.0,
        "Wait, please stop and tell me about the weekend instead.", 12.0,
    )  # fmt: skip
    with running() as server, browsing(tmp_path, microphone) as browser:
        browser.emulate()
        browser.visit(f"http://127.0.0.1:{server.port}/")
        assert until(browser, "document.getElementById('model').textContent") == "scripted: test"
        keep(browser, "before")
        browser.ask("document.getElementById('talk').click()")
        until(browser, "document.querySelector('#transcript .agent')")
        until(browser, "document.querySelector('#latency .strip')")
        until(browser, "document.querySelectorAll('.flag').length >= 1")
        browser.ask("new Promise(done => setTimeout(done, 1500))")
        keep(browser, "speaking")
        until(browser, "document.querySelector('#transcript .unheard')")
        heard = browser.ask("document.querySelector('#transcript .agent span').firstChild.textContent")
        lost = browser.ask("document.querySelector('#transcript .unheard').textContent")
        assert heard + lost == ANSWER
        assert 20 < len(heard) < len(ANSWER) - 20
        floors = browser.ask(
            "[...document.querySelectorAll('#decisions li')].map(li => li.children[1].textContent)"
        )
        assert "stop" in floors or "speak" in floors
        keep(browser, "interrupted")
        browser.narrow()
        keep(browser, "narrow")
        assert browser.ask("document.documentElement.scrollWidth <= innerWidth") is True
        browser.emulate(dark=True)
        keep(browser, "dark")
        steps = browser.ask("[...document.querySelectorAll('#latency dt')].map(dt => dt.textContent)")
        assert steps == [
            "silence noticed", "words recognised", "answer decided", "first words written", "first sound made",
            "first sound sent", "in all",
        ]  # fmt: skip
        assert all(url.startswith((f"http://127.0.0.1:{server.port}/", "data:")) for url in browser.requests)


@pytest.mark.slow
def test_words_can_be_written_instead_and_the_session_be_kept(tmp_path: Path):
    with running() as server, browsing(tmp_path, person(tmp_path / "mic.wav", 30.0)) as browser:
        browser.emulate()
        browser.visit(f"http://127.0.0.1:{server.port}/")
        browser.ask("document.getElementById('talk').click()")
        until(browser, "!document.getElementById('text').disabled")
        browser.ask(
            "document.getElementById('text').value = 'When?'; document.getElementById('write').requestSubmit()"
        )
        until(browser, "document.querySelector('#transcript .agent')")
        assert browser.ask("document.querySelector('#transcript .person span').textContent") == "When?"
        browser.ask("document.getElementById('mute').click()")
        assert browser.ask("document.getElementById('mute').getAttribute('aria-pressed')") == "true"
        until(browser, "document.getElementById('state').textContent == 'answering'")
        browser.ask("new Promise(done => setTimeout(done, 1000))")
        saved = browser.ask("""
            new Promise(done => {
              const blobs = [];
              URL.createObjectURL = blob => { blobs.push(blob); return 'data:,'; };
              HTMLAnchorElement.prototype.click = () => {};
              document.getElementById('save-sound').click();
              document.getElementById('save-events').click();
              Promise.all([blobs[0].arrayBuffer(), blobs[1].text()]).then(([sound, text]) =>
                done([new TextDecoder().decode(sound.slice(0, 4)), new DataView(sound).getUint16(22, true), text]));
            })
        """)
        assert saved[:2] == ["RIFF", 2]
        kinds = [json.loads(line)["type"] for line in saved[2].splitlines()]
        assert kinds[0] == "session.created"
        assert "duplex.typed" in kinds
        browser.ask("document.getElementById('talk').click()")
        until(browser, "document.getElementById('state').textContent == 'ended'")
        assert browser.ask("document.getElementById('talk').textContent") == "Talk"


@pytest.mark.slow
def test_a_lost_connection_and_a_page_loaded_again_come_back_to_the_session(tmp_path: Path):
    with running() as server, browsing(tmp_path, person(tmp_path / "mic.wav", 60.0)) as browser:

        def resumed() -> int:
            return server.hall.meter.counts.get(("resumed", "", ""), 0)

        browser.emulate()
        browser.visit(f"http://127.0.0.1:{server.port}/")
        browser.ask("document.getElementById('talk').click()")
        until(browser, "!document.getElementById('text').disabled")
        browser.ask(
            "document.getElementById('text').value = 'When?'; document.getElementById('write').requestSubmit()"
        )
        until(browser, "document.querySelector('#transcript .agent')")
        browser.ask("new Promise(done => setTimeout(done, 1500))")
        (session,) = server.hall.sessions
        for connection in list(server.server.server_state.connections):
            connection.loop.call_soon_threadsafe(connection.transport.abort)
        until(browser, "document.getElementById('state').textContent == 'speaking'")
        assert (resumed(), server.hall.sessions) == (1, {session})
        until(browser, "document.getElementById('state').textContent == 'listening'", 40)
        assert browser.ask("document.querySelector('#transcript .agent span').textContent") == ANSWER
        assert browser.ask("document.querySelector('#transcript .unheard')") is None
        browser.visit(f"http://127.0.0.1:{server.port}/?again")
        browser.ask("document.getElementById('talk').click()")
        until(browser, "!document.getElementById('text').disabled")
        assert (resumed(), server.hall.sessions) == (2, {session})
        until(browser, "!document.getElementById('talk').disabled")
        browser.ask("document.getElementById('talk').click()")
        until(browser, "document.getElementById('state').textContent == 'ended'")
