"""The live page in a real browser, whose microphone plays a synthesized person."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.audio.clip import Clip, join
from antiphon.audio.files import write
from antiphon.audio.resample import resample
from antiphon.clock import RealClock, VirtualClock
from antiphon.messages import Progress, ToolCall, ToolResult, ToolSpec
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import speak
from antiphon.models.scripted import Asked, Line, Manner, ScriptedChat
from antiphon.models.scripted_instruments import ScriptedTranscriber
from antiphon.realtime.server.stack import Limits
from tests.bench.test_page_in_a_browser import PROGRAM, Browser
from tests.realtime.serving import served, stack

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator

    from antiphon.realtime.server.stack import Stack
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
def running(
    limits: Limits | None = None, change: Callable[[Stack], Stack] = lambda made: made
) -> Generator[Served]:
    """The server in a thread of its own."""
    ready, over, found = threading.Event(), threading.Event(), list[Any]()

    async def serve() -> None:
        clock = RealClock()
        made = stack(
            [Line(text=ANSWER)],
            synthesizer=open_synthesizer("espeak:en-us", clock),
            transcriber=ScriptedTranscriber(clock, default="What time does the library open?"),
        )
        async with served(change(made), limits) as server:
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
def browsing(tmp_path: Path, microphone: Path | None) -> Generator[Browser]:
    """A browser with that microphone; None: with one that the person does not allow."""
    flags = ("--use-fake-device-for-media-stream", "--deny-permission-prompts")
    if microphone is not None:
        flags = (
            *flags[:1],
            "--use-fake-ui-for-media-stream",
            f"--use-file-for-fake-audio-capture={microphone}%noloop",
        )
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
        browser.ask("[...document.querySelectorAll('.flag')].at(-1).focus()")
        latest = browser.ask("document.getElementById('why').textContent")
        browser.press("ArrowLeft")
        assert browser.ask("document.getElementById('why').textContent") != latest
        assert (
            browser.ask("[...document.querySelectorAll('.flag')].filter(flag => flag.tabIndex === 0).length")
            == 1
        )
        keep(browser, "interrupted")
        browser.narrow()
        keep(browser, "narrow")
        assert browser.ask("document.documentElement.scrollWidth <= innerWidth") is True
        browser.emulate(dark=True)
        keep(browser, "dark")
        steps = browser.ask("[...document.querySelectorAll('#latency dt')].map(dt => dt.textContent)")
        assert steps == [
            "silence noticed", "words recognised", "answer decided", "first words written", "first clause whole",
            "first sound made", "first sound sent", "in all",
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
        until(browser, "['answering', 'speaking'].includes(document.getElementById('state').textContent)")
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
        assert [kind for kind in kinds if kind.endswith(".created")][:2] == [
            "session.created",
            "conversation.created",
        ]
        assert "duplex.typed" in kinds
        browser.ask("document.getElementById('talk').click()")
        until(browser, "document.getElementById('state').textContent == 'ended'")
        assert browser.ask("document.getElementById('talk').textContent") == "Talk"


class Desk:
    """Our own tools: one that takes its time, one that wants a yes."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def specs(self) -> list[ToolSpec]:
        return [ToolSpec("search_flights", "", {}, slow=True), ToolSpec("place_hold", "", {})]

    async def call(self, call: ToolCall) -> AsyncGenerator[Progress | ToolResult, None]:
        if call.name == "search_flights":
            yield Progress(call.id, "3 of 12 airlines have answered")
            await asyncio.to_thread(self.go_on.wait)
            flights = [
                {"flight_no": "SK2859", "departs": "11:35", "fare": 780},
                {"flight_no": "SK2895", "departs": "13:10", "fare": 810},
            ]
            yield ToolResult(call.id, {"flights": flights})
        else:
            yield ToolResult(call.id, {"hold_ref": "HD482901", "status": "active"})


FLIGHT = {"flight_no": "SK2859", "date": "2026-08-20"}
DESK_LINES = [
    Line(match="Tokyo", text="Let me look at the flights to Tokyo.", tool_calls=(Asked("search_flights", {"origin": "SFO", "dest": "NRT"}, id="call_1"),), times=1),
    Line(match="Hold", tool_calls=(Asked("place_hold", FLIGHT, id="call_2"),), times=1),
    Line(match="pressed yes", tool_calls=(Asked("place_hold", FLIGHT, id="call_3"),), times=1),
    Line(match="请", text="好的，已经为您保留了八月二十日的航班。", times=1),
    Line(text="There are two: at 11:35 for 780 dollars, and at 13:10 for 810 dollars.", times=1),
    Line(text="Shall I hold it for you?", times=1),
    Line(text="It is held for 72 hours."),
]  # fmt: skip


def write_words(browser: Browser, text: str) -> None:
    browser.ask(
        f"document.getElementById('text').value = {json.dumps(text)}; document.getElementById('write').requestSubmit()"
    )


@pytest.mark.slow
def test_tools_show_what_they_do_and_a_write_waits_for_a_press(tmp_path: Path):
    desk = Desk()

    def with_tools(made: Stack) -> Stack:
        chat = ScriptedChat("desk", DESK_LINES, made.clock, Manner(piece_chars=12))
        settings = replace(made.settings, tools=tuple(desk.specs()), permissions={"place_hold": "confirm"})
        return replace(made, parts=replace(made.parts, chat=chat, toolbox=lambda: desk), settings=settings)

    with (
        running(change=with_tools) as server,
        browsing(tmp_path, person(tmp_path / "mic.wav", 60.0)) as browser,
    ):
        browser.emulate()
        browser.visit(f"http://127.0.0.1:{server.port}/")
        browser.ask("document.getElementById('talk').click()")
        until(browser, "!document.getElementById('text').disabled")
        write_words(browser, "Which flights are there to Tokyo?")
        until(browser, "document.querySelector('#tools .note')")
        assert browser.ask("document.querySelector('#tools li').innerText.replace(/\\s+/g, ' ')") == (
            "runs search_flights origin SFO, dest NRT 3 of 12 airlines have answered"
        )
        until(browser, "document.getElementById('state').textContent === 'speaking'")
        keep(browser, "tool-runs")
        desk.go_on.set()
        until(browser, "document.querySelector('#tools [data-state=done]')")
        until(browser, "document.querySelectorAll('#transcript .agent').length > 1")
        until(browser, "document.getElementById('state').textContent === 'listening'")
        write_words(browser, "Hold the first one.")
        until(browser, "!document.getElementById('confirm').hidden")
        assert browser.ask("document.getElementById('confirm-text').textContent") == (
            "May the agent use place_hold? flight_no SK2859, date 2026-08-20"
        )
        assert browser.ask("document.querySelectorAll('#tools li').length") == 1
        keep(browser, "confirm")
        browser.press(" ")  # the focus is on Yes
        until(browser, "document.querySelectorAll('#tools [data-state=done]').length === 2")
        assert browser.ask("document.getElementById('confirm').hidden") is True
        write_words(browser, "请用中文再说一遍。")
        until(browser, "document.querySelector('#transcript .agent[lang=zh]')")
        browser.ask("new Promise(done => setTimeout(done, 1500))")
        for name, change in (("tools", browser.emulate), ("tools-narrow", browser.narrow)):
            change()
            browser.ask("scrollTo(0, 0)")
            keep(browser, name)
            assert browser.ask("document.documentElement.scrollWidth <= innerWidth") is True
        browser.ask("scrollTo(0, 700)")
        keep(browser, "tools-narrow-below")
        browser.emulate(dark=True)
        browser.ask("scrollTo(0, 0)")
        keep(browser, "tools-dark")


@pytest.mark.slow
def test_a_refused_microphone_is_said_and_writing_still_works(tmp_path: Path):
    with running() as server, browsing(tmp_path, None) as browser:
        browser.visit(f"http://127.0.0.1:{server.port}/")
        browser.ask("document.getElementById('talk').click()")
        until(browser, "document.querySelectorAll('#transcript .trouble').length > 1")
        troubles = browser.ask("[...document.querySelectorAll('.trouble')].map(line => line.textContent)")
        assert troubles == [
            "The browser does not let this page use the microphone: allow it in the address bar.",
            "You can write meanwhile.",
        ]
        write_words(browser, "When?")
        until(browser, "document.querySelector('#transcript .agent')")


@pytest.mark.slow
def test_a_full_server_says_so(tmp_path: Path):
    with (
        running(Limits(sessions=0)) as server,
        browsing(tmp_path, person(tmp_path / "mic.wav", 5.0)) as browser,
    ):
        browser.visit(f"http://127.0.0.1:{server.port}/")
        browser.ask("document.getElementById('talk').click()")
        until(browser, "document.querySelector('.trouble')")
        assert browser.ask("document.querySelector('.trouble').textContent") == (
            "All 0 sessions of the server are taken: try again in a moment."
        )
        assert browser.ask("document.getElementById('state').textContent") == "could not begin"


@pytest.mark.slow
def test_a_server_that_goes_away_is_said(tmp_path: Path):
    microphone = person(tmp_path / "mic.wav", 60.0)
    with browsing(tmp_path, microphone) as browser:
        with running(Limits(drain_s=0.1)) as server:
            browser.visit(f"http://127.0.0.1:{server.port}/")
            browser.ask("document.getElementById('talk').click()")
            until(browser, "document.getElementById('state').dataset.state === 'live'")
        until(
            browser,
            "document.getElementById('state').dataset.state === 'lost' && !document.getElementById('talk').disabled",
        )
        browser.ask("document.getElementById('talk').click()")
        until(browser, "document.querySelector('.trouble')")
        assert browser.ask("document.querySelector('.trouble').textContent") == (
            "The server does not answer: is it still running?"
        )


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
        for _ in range(400):
            if resumed():
                break
            browser.ask("new Promise(done => setTimeout(done, 50))")
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
