"""`Writer`: a chat model that is asked to work on texts; its prompts are files, its answers are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.cache import Store, default_folder, key_of
from antiphon.ids import hash_bytes
from antiphon.messages import says
from antiphon.models.catalog import open_chat
from antiphon.models.ports import Request, Sampling, collect, is_scripted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.bench.items import Turn
    from antiphon.clock import Clock
    from antiphon.models.ports import Chat

PROMPTS = Path(__file__).parent / "prompts"
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_MAX_TOKENS = 1024
_DEADLINE_US = 300_000_000


@dataclass(frozen=True, slots=True)
class Wording:
    """A prompt: a text with `{name}` places. Its version changes with every word."""

    name: str
    text: str

    @property
    def label(self) -> str:
        """Name and version, for records and fingerprints."""
        return f"{self.name}@{hash_bytes(self.text.encode())[:12]}"

    def fill(self, fields: Mapping[str, str]) -> str:
        """The text to send; braces inside a value stay. Raises KeyError for a missing field."""
        return _PLACEHOLDER.sub(lambda place: fields[place[1]], self.text)


@lru_cache
def wording(name: str) -> Wording:
    """One of the prompts in `prompts/`."""
    return Wording(name, (PROMPTS / f"{name}.txt").read_text("utf-8").strip())


@dataclass(frozen=True, slots=True)
class Writer:
    """Asks a chat model, greedily, and keeps what it said: no answer is paid for twice."""

    chat: Chat
    store: Store

    @property
    def name(self) -> str:
        return self.chat.name

    async def ask(self, text: str, *, history: Sequence[Turn] = (), choices: tuple[str, ...] = ()) -> str:
        """The model's words. Raises ModelError."""
        messages = (*(says(turn.role, turn.text) for turn in history), says("user", text))
        key = key_of("create", self.name, [[each.role, each.text] for each in messages], list(choices))
        kept = None if is_scripted(self.name) else self.store.get_row(key)
        if kept is not None:
            return str(kept["answer"])
        request = Request(
            messages, want=frozenset({"text"}), sampling=Sampling(max_tokens=_MAX_TOKENS),
            deadline_us=_DEADLINE_US, choices=choices,
        )  # fmt: skip
        answer = (await collect(self.chat, request)).text.strip()
        if not is_scripted(self.name):
            self.store.put_row(key, {"answer": answer})
        return answer


def open_writer(uri: str, clock: Clock) -> Writer:
    """The writer that a chat model's URI names. Raises ConfigError."""
    return Writer(open_chat(uri, clock), Store(default_folder() / "create"))
