"""A request as transformers' chat templates want it: rows of text and places for sound, and the sounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antiphon.audio.resample import resample
from antiphon.errors import ModelError
from antiphon.messages import Speech, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from antiphon.messages import Message, Part

    Row = dict[str, Any]


def rows(name: str, messages: Sequence[Message], system: str, *, hears: bool) -> list[Row]:
    """One row a message. A family's own system prompt comes before the request's, in one row.

    Raises ModelError for a part that the model cannot take.
    """
    asked = "\n".join(message.text for message in messages if message.role == "system")
    first = "\n".join(text for text in (system, asked) if text)
    found: list[Row] = [{"role": "system", "content": first}] if first else []
    for message in messages:
        if message.role != "system":
            content = [_content(name, part, message.role, hears=hears) for part in message.parts]
            found.append({"role": message.role, "content": _plain(content)})
    return found


def _plain(content: list[Row]) -> str | list[Row]:
    """Words alone go as a string: every template knows that form."""
    if all(part["type"] == "text" for part in content):
        return "".join(part["text"] for part in content)
    return content


def _content(name: str, part: Part, role: str, *, hears: bool) -> Row:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if not isinstance(part, Speech):
        raise ModelError(name, "takes no tool calls here; serve the model and use openai+http: for tools")
    if role == "user" and hears:
        if not len(part.clip):
            raise ModelError(name, "this spoken turn is empty: there is no sound to hear")
        return {"type": "audio", "audio": "speech"}
    if part.heard is None:
        what = "takes no speech" if role == "user" else "takes earlier speech of its own as words only"
        raise ModelError(
            name, f"{what}, and this {role} turn has no transcript; put it behind cascade:?chat=…"
        )
    return {"type": "text", "text": part.heard}


def sounds(messages: Sequence[Message], rate_hz: int) -> list[NDArray[np.float32]]:
    """The users' speech in the order of its places, at the model's rate."""
    return [
        resample(part.clip, rate_hz).samples
        for message in messages
        if message.role == "user"
        for part in message.parts
        if isinstance(part, Speech)
    ]
