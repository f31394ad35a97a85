"""The page with the embedded agent: a synthesized person asks, acknowledges, interrupts, in English and Mandarin.

The browser's microphone plays Kokoro's voices. Every line waits for what the page shows, so that a slow machine
changes nothing but the time; what is asserted comes from the files that the page offers for download.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import soundfile

from antiphon.audio.clip import Clip, join
from antiphon.audio.files import write
from antiphon.audio.resample import resample
from antiphon.audio.vad import has_speech
from antiphon.clock import RealClock
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import SpeechContext, Voice
from antiphon.text.align import distance
from antiphon.text.normalise import comparable
from tests.bench.test_page_in_a_browser import PROGRAM
from tests.realtime.test_page import browsing, keep

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator
    from pathlib import Path

    from tests.bench.test_page_in_a_browser import Browser

PATIENCE_S = 240
ATTEMPTS = 4  # to acknowledge: a late machine hears that it ended only after it had to decide
WRONG = 0.35  # of the characters
WRITTEN = "response.output_audio_transcript.done"
TRANSCRIBED = "conversation.item.input_audio_transcription.completed"


@dataclass(frozen=True)
class Person:
    """Who speaks, and what: a question, an acknowledgement over the answer, an interruption with a question."""

    language: str
    voice: str
    agent: str
    asks: str
    acknowledges: str
    interrupts: str


PEOPLE = (
    Person(
        "en", "am_michael", "espeak:en-us",
        "Please tell me a long story about a fox who lives in the forest.", "Yeah.",
        "Stop! What is the capital city of France?",
    ),
    Person(
        "zh", "zm_yunxi", "espeak:cmn", "请给我介绍一下中国的长城和它的历史。", "好的。",
        "等等，停一下！请问法国的首都是哪个城市？",
    ),
)  # fmt: skip


class Microphone:
    """The file that Chromium plays as its microphone, read anew whenever the page opens it."""

    def __init__(self, path: Path, person: Person) -> None:
        self.path, self._person = path, person
        self._voice = open_synthesizer("kokoro:", RealClock())
        self._clips = {text: self._spoken(text) for text in (person.asks, person.interrupts)}
        # Acknowledgements are short: Kokoro says one by itself as slowly as a sentence.
        self._clips[person.acknowledges] = self._spoken(person.acknowledges, rate=2.0)
        write(path, Clip.silence(600.0, 48_000))

    def _spoken(self, text: str, rate: float = 1.0) -> Clip:
        context = SpeechContext(language=self._person.language, cues={"rate": rate})
        clip = asyncio.run(self._sound(text, context))
        return join([Clip.silence(0.3, 48_000), resample(clip, 48_000), Clip.silence(300.0, 48_000)])

    async def _sound(self, text: str, context: SpeechContext) -> Clip:
        async def once() -> AsyncGenerator[str, None]:
            yield text

        return join(
            [chunk.clip async for chunk in self._voice.stream(once(), Voice(self._person.voice), context)]
        )

    def say(self, browser: Browser, text: str) -> None:
        write(self.path, self._clips[text])
        browser.ask("document.getElementById('microphone').dispatchEvent(new Event('change'))")


@contextmanager
def serving(person: Person) -> Generator[str]:
    """`antiphon serve` in a process of its own; where its page is."""
    command = [
        sys.executable, "-c", "from antiphon.cli.main import main; main()", "serve", "--port", "0",
        "--synthesizer", person.agent,
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().split()[2]
        finally:
            server.terminate()


def wait(browser: Browser, condition: str, patience_s: int = PATIENCE_S) -> Any:
    """The value of an expression once it is something; asked in pieces that a browser's silence cannot end."""
    for _ in range(patience_s // 5):
        found = browser.ask(
            f"new Promise(done => {{ const began = performance.now(); const look = () => {{ const found = {condition};"
            " if (found || performance.now() - began > 5000) done(found || null); else setTimeout(look, 20); }; look(); })"
        )
        if found is not None:
            return found
    shown = browser.ask(
        "[...document.querySelectorAll('#transcript li, #decisions li')].map(li => li.innerText).join(' | ')"
    )
    raise AssertionError(f"waited {patience_s} s in vain for {condition}; the page shows: {shown}")


# What the page tells the server of its playing, and what the server tells the page, noted on the way.
WATCH = """
  window.playedMs = 0; window.told = [];
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    const event = JSON.parse(text);
    if (event.type === "playback.acknowledged") window.playedMs = event.audio_ms;
    if (!this.watched) {
      this.watched = true;
      this.addEventListener("message", ({ data }) => window.told.push(JSON.parse(data).type));
    }
    return send.call(this, text);
  };
"""


def downloaded(browser: Browser, folder: Path) -> Kept:
    """The session as the page's own buttons save it."""
    folder.mkdir()
    browser.save_to(folder)
    for button, name in (("save-sound", "antiphon-session.wav"), ("save-events", "antiphon-session.jsonl")):
        browser.ask(f"document.getElementById('{button}').click()")
        while not (folder / name).exists():
            browser.ask("new Promise(done => setTimeout(done, 100))")
    samples, rate_hz = soundfile.read(folder / "antiphon-session.wav", dtype="float32")
    lines = (folder / "antiphon-session.jsonl").read_text("utf-8").splitlines()
    left, right = (Clip(np.ascontiguousarray(samples[:, side]), rate_hz) for side in (0, 1))
    return Kept(left, right, [json.loads(line) for line in lines])


def error_rate(said: str, heard: str, language: str) -> float:
    """Characters wrong for each character said."""
    reference = comparable(said, language)
    return distance(reference, comparable(heard, language)) / len(reference)


def converse(browser: Browser, microphone: Microphone, person: Person) -> list[str]:
    """All lines of the person, each in its moment; the words on the page that were never heard."""
    browser.ask(WATCH)
    browser.ask("document.getElementById('talk').click()")
    wait(browser, "document.getElementById('talk').textContent === 'Hang up'")
    microphone.say(browser, person.asks)
    for _ in range(ATTEMPTS):
        wait(browser, "window.playedMs > 1500")
        browser.ask("window.told = window.told.filter(kind => kind !== 'duplex.stopped')")
        microphone.say(browser, person.acknowledges)
        ruled = wait(browser, "window.told.find(kind => ['duplex.resumed', 'duplex.stopped'].includes(kind))")
        if ruled == "duplex.resumed":
            break
        browser.ask("window.playedMs = 0")  # this machine was late: it stopped, and says the rest anew
    played_ms = browser.ask("window.playedMs")
    wait(browser, f"window.playedMs > {played_ms + 1000}")
    answers = browser.ask("window.told.filter(kind => kind === 'duplex.answer_started').length")
    microphone.say(browser, person.interrupts)
    wait(browser, "window.told.includes('duplex.stopped')")
    keep(browser, f"talk-{person.language}")
    wait(browser, f"window.told.filter(kind => kind === 'duplex.answer_started').length > {answers}")
    wait(
        browser,
        "window.told.lastIndexOf('duplex.said') > window.told.lastIndexOf('duplex.answer_started')",
    )
    keep(browser, f"answered-{person.language}")
    browser.ask("document.getElementById('talk').click()")
    return browser.ask(
        "[...document.querySelectorAll('#transcript .unheard')].map(words => words.textContent)"
    )


@dataclass
class Kept:
    """What the page's downloads say."""

    left: Clip
    right: Clip
    events: list[dict[str, Any]]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]


def check_words(kept: Kept, person: Person) -> None:
    """Both turns were understood. A turn may come in pieces, and again with better words."""
    turns = {event["item_id"]: event["transcript"] for event in kept.of(TRANSCRIBED)}
    asked, *later = turns.values()
    assert error_rate(person.asks, asked, person.language) < WRONG
    said = [" ".join(later[-count:]) for count in range(1, len(later) + 1)]
    assert min(error_rate(person.interrupts, text, person.language) for text in said) < WRONG


def check_floor(kept: Kept, never_heard: list[str]) -> None:
    """The acknowledgement held the story and let it go on; the interruption ended it, and what was heard counts."""
    resumed = kept.of("duplex.resumed")[0]
    story = resumed["item_id"]
    [stopped] = [event for event in kept.of("duplex.stopped") if event["item_id"] == story]
    assert [event["item_id"] for event in kept.of("duplex.paused")].count(story) >= 2
    assert stopped["heard_ms"] > resumed["from_ms"] > 1000
    assert {"LISTEN", "SPEAK", "RESUME", "STOP"} <= {event["floor"] for event in kept.of("duplex.decided")}
    assert all(event["reason"] for event in (*kept.of("duplex.decided"), *kept.of("duplex.chose")))
    ended = next(event for event in kept.of("duplex.said") if event["item_id"] == story)
    assert (ended["finish"], ended["heard_ms"]) == ("interrupted", stopped["heard_ms"])
    [written] = [event["transcript"] for event in kept.of(WRITTEN) if event["item_id"] == story]
    assert 0 < ended["heard_chars"] < len(written)
    assert written[ended["heard_chars"] :] in never_heard


def check_sound(kept: Kept) -> None:
    """Both voices are there; between the stop and the next answer, which was heard whole, there is none of the agent's."""
    assert has_speech(kept.left)
    assert has_speech(kept.right)
    last = kept.of("duplex.said")[-1]
    [written] = [event["transcript"] for event in kept.of(WRITTEN) if event["item_id"] == last["item_id"]]
    assert (last["finish"], last["heard_chars"]) == ("stop", len(written))
    stopped_ms = kept.of("duplex.stopped")[-1]["t_ms"]
    [begun_ms] = [event["t_ms"] for event in kept.of("duplex.latency") if event["item_id"] == last["item_id"]]
    assert loudest(kept.right, stopped_ms + 200, begun_ms) < 0.001 < loudest(kept.right, begun_ms, None)


@pytest.mark.weights
@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(PROGRAM is None, reason="no Chromium here (Debian: apt-get install chromium)")
@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person.language)
def test_a_person_asks_acknowledges_and_interrupts_on_the_page(
    person: Person, weights: Callable[..., list[Path]], tmp_path: Path
):
    weights("whisper-base", "qwen2.5-coder-0.5b", "kokoro")
    microphone = Microphone(tmp_path / "mic.wav", person)
    with serving(person) as url, browsing(tmp_path, microphone.path) as browser:
        browser.emulate()
        browser.visit(url)
        never_heard = converse(browser, microphone, person)
        kept = downloaded(browser, tmp_path / "saved")
    check_words(kept, person)
    check_floor(kept, never_heard)
    check_sound(kept)
    assert not kept.of("error")


def loudest(clip: Clip, from_ms: int, to_ms: int | None) -> float:
    """The highest amplitude of a stretch of it."""
    begin, end = (None if ms is None else ms * clip.rate_hz // 1000 for ms in (from_ms, to_ms))
    return float(np.abs(clip.samples[begin:end]).max(initial=0.0))
