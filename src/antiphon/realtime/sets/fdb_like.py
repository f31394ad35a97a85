"""Four kinds of speech over the agent's, in the shares of Full-Duplex-Bench v1.5; own scripts, none of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.ids import rng
from antiphon.realtime.sets.phrases import OURS
from antiphon.realtime.sets.script import Expect, Script

if TYPE_CHECKING:
    from antiphon.realtime.sets.phrases import Book
    from antiphon.realtime.sets.script import Scripted

# kind → (sessions, phrases, who, what is right)
KINDS: dict[str, tuple[int, str, bool, Expect]] = {
    "interruption": (200, "interruptions", False, "respond"),
    "backchannel": (99, "backchannels", False, "ignore"),
    "talking to others": (100, "asides", False, "ignore"),
    "background speech": (100, "background", True, "ignore"),
}
SIZE = sum(count for count, *_ in KINDS.values())


def fdb_like(number: int, seed: int, book: Book = OURS) -> Scripted:
    """Session `number`: a question, an answer, and something over it. Every 499 sessions have the full shares."""
    kinds = [kind for kind, (count, *_) in KINDS.items() for _ in range(count)]
    order = rng(seed, "fdb-like", "order").permutation(len(kinds))
    kind = kinds[int(order[number % len(kinds)])]
    _, what, other, expect = KINDS[kind]
    script = Script(f"fdb-like-{number}", number, seed, book)
    topic = script.draw("topics")
    line = script.say(topic["ask"], "begin", script.uniform(0.6, 1.5))
    script.answers[line] = topic["answer"]
    line = script.say(script.draw(what), "over", script.uniform(1.0, 4.0), other=other)
    script.answers[line] = script.draw("topics")["answer"]
    script.judge(line, kind, expect)
    return script.done()
