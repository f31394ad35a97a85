from __future__ import annotations

import asyncio
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.realtime.live.outbox import Missed, Outbox
from antiphon.realtime.live.playout import Frame


class Flaky:
    """A client whose connection takes `limits[n]` letters, loses the last few of them, and breaks."""

    def __init__(self) -> None:
        self.got: list[str] = []
        self.left = 0

    async def send(self, text: str) -> None:
        if self.left == 0:
            raise EOFError
        self.left -= 1
        self.got.append(text)


async def deliver(box: Outbox, client: Flaky, most: int) -> None:
    client.left = most
    writing = asyncio.create_task(box.write(client.send))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    writing.cancel()
    with suppress(asyncio.CancelledError, EOFError):
        await writing


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 8), st.integers(0, 4)), max_size=12))
def test_whatever_gets_lost_on_the_way_every_event_comes_once_and_in_order(drops):
    async def run() -> None:
        box, client = Outbox(10_000), Flaky()
        for put, sent, lost in drops:
            for _ in range(put):
                box.put(str(box.next()))
            had = len(client.got)
            await deliver(box, client, sent)
            del client.got[max(had, len(client.got) - lost) :]
            after = int(client.got[-1]) if client.got else 0
            assert box.whole_after(after)
            assert box.rewind(after, None, []) == Missed()
        await deliver(box, client, -1)
        assert client.got == [str(number) for number in range(1, box.number + 1)]
        assert box.unsent_bytes == 0

    asyncio.run(run())


async def test_sound_that_was_lost_is_not_sent_again_but_told():
    box, client = Outbox(10_000), Flaky()
    for at in range(5):
        frame = Frame("item", 20 * at, bytes(960), 0)
        box.next()
        box.put(f"place {at}", frame)
        box.next()
        box.put(f"sound {at}", frame)
    box.next()
    box.put("words")
    await deliver(box, client, 7)
    assert client.got[-1] == "place 3"
    client.got = []
    assert box.rewind(4, "item", ["hello"]) == Missed(40, 60)
    await deliver(box, client, -1)
    assert client.got == ["hello", "words"]


async def test_sound_of_an_item_that_is_over_comes_all_the_same():
    box, client = Outbox(10_000), Flaky()
    box.next()
    box.put("sound", Frame("over", 0, bytes(960), 0))
    assert box.rewind(0, "another", []) == Missed(late_ms=20)
    await deliver(box, client, -1)
    assert client.got == ["sound"]


async def test_no_more_is_kept_than_allowed_and_what_is_lost_is_known():
    box, client = Outbox(100), Flaky()
    for _ in range(30):
        box.next()
        box.put("0123456789")
    await deliver(box, client, -1)
    assert (box.whole_after(19), box.whole_after(20), box.whole_after(30), box.whole_after(31)) == (
        False, True, True, False,
    )  # fmt: skip
    assert box.last_sent() == 30
