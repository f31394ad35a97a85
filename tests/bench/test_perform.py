from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import decode, write
from antiphon.bench.items import Item, Turn
from antiphon.bench.perform import Call, Performance, Performer, open_performer
from antiphon.bench.queries import Query
from antiphon.bench.takes import Said, Take, Timing
from antiphon.cache import Store
from antiphon.clock import VirtualClock
from antiphon.jsonl import from_row
from antiphon.messages import Speech, Text
from antiphon.models.ports import Done, Request, SpeechDelta, TextDelta, Usage
from antiphon.stage.outcome import Failed, Made

TONE = Clip([0.5, -0.5] * 400, 8_000)
QUESTION = Clip([0.25, -0.25] * 400, 8_000)
ITEM = Item("k-0", "general_knowledge", "zh", "首都是哪里？", "北京", history=(Turn("user", "你好"),))


class System:
    """A system that answers with what it is given; its name is not scripted, so that replies are cached."""

    name = "fake:system"
    gives = frozenset({"text", "speech"})

    def __init__(self, text: str = "是北京。", clip: Clip | None = TONE, *, hears: bool = True) -> None:
        self.accepts = frozenset({"text", "speech"} if hears else {"text"})
        self.requests: list[Request] = []
        self._text = text
        self._clip = clip

    async def stream(self, request: Request):
        self.requests.append(request)
        if self._text:
            yield TextDelta(self._text, 200)
        if self._clip is not None:
            yield SpeechDelta(self._clip, 400)
        yield Done("stop", 1_000, Usage(5, 3), heard="首都", stages={"recognised": 100})


@pytest.fixture
def call(tmp_path: Path) -> Call:
    write(tmp_path / "clips" / f"{QUESTION.digest}.flac", QUESTION)
    return Call(ITEM, Query("k-0", QUESTION.digest, 0.1, "recorded"))


def performer(folder: Path, system: System, **changes: object) -> Performer:
    how = replace(Performance("fake:system", seed=7, max_tokens=60), **changes)  # pyright: ignore[reportArgumentType]
    return Performer(how, folder, system, VirtualClock(), Store(folder / "cache"))  # pyright: ignore[reportArgumentType]


def take_of(outcome: object) -> Take:
    assert isinstance(outcome, Made)
    return from_row(outcome.row, Take, path="takes.jsonl")


async def test_a_reply_is_kept_with_its_words_sound_and_times(tmp_path: Path, call: Call) -> None:
    (made,) = await performer(tmp_path, System())([call])
    take = take_of(made)
    assert take.replies == (
        Said("是北京。", TONE.digest, 0.1, "stop", Timing(200, 400, 1_000, {"recognised": 100}), "首都", 3),
    )
    assert (take.item, take.query, take.query_speech, take.in_flight) == (
        "k-0", QUESTION.digest, "recorded", 1,
    )  # fmt: skip
    assert take.meta["made_at"] == "2000-01-01T00:00:00+00:00"
    assert "reused" not in take.meta
    assert isinstance(made, Made)
    assert decode(made.blobs[f"clips/{TONE.digest}.flac"], "x") == TONE


async def test_a_system_with_ears_hears_the_question_after_the_dialogue_in_words(
    tmp_path: Path, call: Call
) -> None:
    system = System()
    await performer(tmp_path, system)([call])
    (request,) = system.requests
    assert [message.parts for message in request.messages] == [(Text("你好"),), (Speech(QUESTION),)]
    assert (request.sampling.seed, request.sampling.max_tokens) == (7, 60)


async def test_a_system_without_ears_reads_it_and_the_take_says_so(tmp_path: Path, call: Call) -> None:
    system = System(hears=False)
    (made,) = await performer(tmp_path, system)([call])
    assert system.requests[0].messages[-1].parts == (Text("首都是哪里？"),)
    assert take_of(made).meta["asked_in"] == "words"


async def test_a_reply_with_neither_words_nor_sound_is_a_failure(tmp_path: Path, call: Call) -> None:
    assert await performer(tmp_path, System(" ", None))([call]) == [
        Failed("the reply has neither words nor sound", transient=False)
    ]


@pytest.mark.parametrize(("text", "clip"), [("", TONE), ("是北京。", None)])
async def test_words_alone_or_sound_alone_are_a_reply(
    tmp_path: Path, call: Call, text: str, clip: Clip | None
) -> None:
    (made,) = await performer(tmp_path, System(text, clip))([call])
    (said,) = take_of(made).replies
    assert (said.text, said.clip) == (text, clip.digest if clip else None)


async def test_the_same_request_is_answered_from_an_earlier_run_with_its_times_machine_and_date(
    tmp_path: Path, call: Call
) -> None:
    (first,) = await performer(tmp_path, System())([call])
    later = performer(tmp_path, system := System("something else"))
    later.clock.advance_us(3_600_000_000)  # pyright: ignore[reportAttributeAccessIssue]
    twin = replace(call, item=replace(ITEM, id="k-9", subset="other"))
    (again,) = await later([twin])
    assert system.requests == []
    before, after = take_of(first), take_of(again)
    assert after == replace(
        before, item="k-9", subset="other", meta={**before.meta, "reused": True}
    )  # fmt: skip
    assert isinstance(first, Made)
    assert isinstance(again, Made)
    assert again.blobs == first.blobs


@pytest.mark.parametrize(
    "changes", [{"seed": 8}, {"max_tokens": 61}, {"fresh": True}], ids=["seed", "cap", "fresh"]
)
async def test_another_request_or_a_fresh_one_is_asked(
    tmp_path: Path, call: Call, changes: dict[str, object]
) -> None:
    await performer(tmp_path, System())([call])
    system = System()
    (made,) = await performer(tmp_path, system, **changes)([call])
    assert len(system.requests) == 1
    assert "reused" not in take_of(made).meta


async def test_changed_words_are_asked_again_where_they_are_what_the_system_reads(
    tmp_path: Path, call: Call
) -> None:
    changed = replace(call, item=replace(ITEM, question="首都叫什么？"))
    for hears, asked in ((True, 0), (False, 1)):
        await performer(tmp_path, System(hears=hears))([call])
        system = System(hears=hears)
        await performer(tmp_path, system)([changed])
        assert len(system.requests) == asked


async def test_a_cached_reply_whose_sound_is_gone_is_asked_again(tmp_path: Path, call: Call) -> None:
    await performer(tmp_path, System())([call])
    Store(tmp_path / "cache").path(TONE.digest).unlink()
    system = System()
    await performer(tmp_path, system)([call])
    assert len(system.requests) == 1


async def test_scripted_replies_are_never_cached(tmp_path: Path, call: Call, own_cache: Path) -> None:
    how = Performance("scripted:echo?seconds=0.1", seed=0, max_tokens=None)
    for _ in range(2):
        async with open_performer(how, tmp_path) as perform:
            (made,) = await perform([call])
            assert take_of(made).meta["machine"] == "scripted"
            assert "reused" not in take_of(made).meta
    assert not (own_cache / "replies").exists()
