from __future__ import annotations

from antiphon.messages import ToolCall
from antiphon.models.wire import live
from antiphon.models.wire.ga.shapes import Event, Format
from antiphon.realtime import events as e
from antiphon.realtime.live.hearing import Began, Ended
from antiphon.realtime.live.playout import FRAME_BYTES, Frame
from antiphon.realtime.meter import Meter
from antiphon.realtime.protocols.live_out import Narrator

PCM = b"\1\0" * (FRAME_BYTES // 2)


class Site:
    """A session whose time the test sets; ten characters are spoken in a second."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.texts: dict[str, str] = {}
        self.work: list[tuple[str | None, str]] = []
        self.ended: list[tuple[str, str]] = []

    def ms(self, t_us: int | None = None) -> int:
        return self.now_ms if t_us is None else t_us // 1000

    def spoken(self, item: str, ms: int) -> str:
        return self.texts[item][: ms // 100]

    def delegated(self, item: str | None, call: ToolCall) -> None:
        self.work.append((item, call.name))

    def over(self, item: str, text: str) -> None:
        self.ended.append((item, text))


class Told:
    def __init__(self) -> None:
        self.site, self.events = Site(), list[Event]()
        self.narrator = Narrator(self.events.append, self.site, Meter())
        self.narrator.settle(Format(rate=24_000))

    def speaks(self, item: str, text: str, ms: int, at_ms: int = 0) -> None:
        self.site.texts[item] = text
        for place in range(at_ms, at_ms + ms, 20):
            self.narrator.sound(Frame(item, place, PCM, 0))

    def starts(self, item: str) -> None:
        self.narrator.effect(e.StartAnswer("a", 1, item, (), (), "why"))

    def ends(self, item: str, text: str, finish: str = "stop") -> None:
        self.narrator.effect(e.Said(item, text, len(text), 0, finish))

    def words(self) -> list[tuple[str, int, int]]:
        kinds = (live.OutputTranscriptDelta, live.InputTranscriptDelta)
        return [
            (event.delta, event.start_ms, event.end_ms) for event in self.events if isinstance(event, kinds)
        ]


def test_words_are_told_with_their_sound_and_the_rest_at_the_end():
    told = Told()
    told.starts("i1")
    told.site.now_ms = 1000
    told.speaks("i1", "abcdefgh", 620)
    assert told.words() == [("a", 1000, 1120), ("b", 1120, 1220), ("c", 1220, 1320), ("d", 1320, 1420),
                            ("e", 1420, 1520), ("f", 1520, 1620)]  # fmt: skip
    assert sum(isinstance(event, live.AudioDelta) for event in told.events) == 31
    told.speaks("i1", "abcdefgh", 60, at_ms=620)
    told.ends("i1", "abcdefgh")
    assert told.words()[-1] == ("gh", 1620, 1680)
    assert told.site.ended == [("i1", "abcdefgh")]


def test_what_was_interrupted_is_told_as_far_as_its_sound_was_sent():
    told = Told()
    told.starts("i1")
    told.speaks("i1", "abcdefgh", 320)
    told.ends("i1", "abcdefgh", "interrupted")
    assert "".join(delta for delta, _, _ in told.words()) == "abc"
    assert not told.narrator.answering


def test_what_is_sent_again_after_a_pause_is_told_once_and_time_goes_on():
    told = Told()
    told.starts("i1")
    told.speaks("i1", "abcdefgh", 420)
    told.site.now_ms = 2000
    told.speaks("i1", "abcdefgh", 420, at_ms=200)
    assert [word for word in told.words() if word[0] == "e"] == [("e", 420, 2320)]
    assert "".join(delta for delta, _, _ in told.words()) == "abcdef"


def test_fragments_join_to_a_text_in_english_and_in_mandarin():
    told = Told()
    for item, text in (("i1", "Yes."), ("i2", "No."), ("i3", "好。"), ("i4", "再见")):
        told.starts(item)
        told.speaks(item, text, 20)
        told.ends(item, text)
    assert "".join(delta for delta, _, _ in told.words()) == "Yes. No.好。再见"


def test_the_persons_words_stand_where_they_were_spoken():
    told = Told()
    told.narrator.edge(Began("u1", 500_000))
    told.narrator.edge(Ended("u1", 1_700_000, b""))
    told.narrator.heard("u1", "Hello", final=False)
    told.narrator.heard("u1", "Hello there.", final=True)
    told.narrator.heard("u2", "", final=True)
    assert told.words() == [("Hello there.", 500, 1700)]


def test_another_items_sound_is_dropped_and_what_was_cut_goes_on_as_an_item_of_its_own():
    told = Told()
    told.starts("i1")
    told.speaks("old", "xy", 40)
    assert told.events == []
    told.narrator.effect(e.Render("i2.0", 1, "i2", "the rest"))
    told.speaks("i2", "the rest", 220)
    assert "".join(delta for delta, _, _ in told.words()) == "th"


def test_calls_go_to_the_session_and_failures_to_the_client():
    told = Told()
    told.starts("i1")
    told.narrator.effect(e.StartTool("t1", 1, ToolCall("c1", "delegate", {})))
    told.narrator.effect(e.Said("i1", "", 0, 0, "failed", "out of order"))
    assert told.site.work == [("i1", "delegate")]
    (failed,) = told.events
    assert isinstance(failed, live.Error)
    assert (failed.error.code, failed.error.message) == ("model_failed", "out of order")
