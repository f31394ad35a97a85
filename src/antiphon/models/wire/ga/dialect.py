"""How others spell the same events: a dialect is tables of names, fields and formats, used both ways.

Reading accepts the GA and the beta spelling whatever the dialect; writing keeps to the dialect's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antiphon.models.wire.ga.shapes import Json

Path = tuple[str, ...]
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Move:
    """One field under another name or in another place. `read` and `write` change its value; whatever
    they do not know they return as it is, for the check of types to find."""

    theirs: Path
    ours: Path
    read: Callable[[Any], Any] = lambda value: value
    write: Callable[[Any], Any] = lambda value: value


@dataclass(frozen=True, slots=True)
class Dialect:
    """`names` maps our event names to theirs, `silent` are events that they do not have. Sound goes in at
    `in_hz` and comes out at `out_hz`."""

    name: str
    in_hz: int = 24_000
    out_hz: int = 24_000
    names: Mapping[str, str] | None = None
    silent: frozenset[str] = frozenset()
    session: tuple[Move, ...] = ()
    response: tuple[Move, ...] = ()
    nested_tools: bool = False

    def spell(self, event: str) -> str:
        """Their name for one of our events."""
        return (self.names or {}).get(event, event)


def _formats(pairs: tuple[tuple[str, str, int | None], ...]) -> dict[str, Callable[[Any], Any]]:
    """Both directions between a format's name of one word and ours; the first of equal ones is written."""
    read = {theirs: {"type": ours} | ({"rate": hz} if hz else {}) for theirs, ours, hz in pairs}
    write = {ours: theirs for theirs, ours, _ in reversed(pairs)}

    def reading(value: Any) -> Any:
        return read.get(value, value) if isinstance(value, str) else value

    def writing(value: Any) -> Any:
        return write.get(cast("Json", value).get("type", ""), value) if isinstance(value, dict) else value

    return {"read": reading, "write": writing}


def _read_modalities(value: Any) -> Any:
    """Beta and DashScope count the transcript of speech as text."""
    return ["audio"] if isinstance(value, list) and "audio" in value else value


def _write_modalities(value: Any) -> Any:
    return ["text", "audio"] if value == ["audio"] else value


_TELEPHONE = (("g711_ulaw", "audio/pcmu", None), ("g711_alaw", "audio/pcma", None))
_BETA_FORMATS = _formats((("pcm16", "audio/pcm", 24_000), *_TELEPHONE))


def _flat(into: dict[str, Callable[[Any], Any]], out: dict[str, Callable[[Any], Any]]) -> tuple[Move, ...]:
    """A session without `audio`: everything at its top."""
    listening, speaking = ("audio", "input"), ("audio", "output")
    return (
        Move(("modalities",), ("output_modalities",), _read_modalities, _write_modalities),
        Move(("voice",), (*speaking, "voice")),
        Move(("speed",), (*speaking, "speed")),
        Move(("input_audio_format",), (*listening, "format"), into["read"], into["write"]),
        Move(("output_audio_format",), (*speaking, "format"), out["read"], out["write"]),
        Move(("input_audio_transcription",), (*listening, "transcription")),
        Move(("input_audio_noise_reduction",), (*listening, "noise_reduction")),
        Move(("turn_detection",), (*listening, "turn_detection")),
        Move(("max_response_output_tokens",), ("max_output_tokens",)),
    )


def _details(name: str) -> tuple[Move, ...]:
    """DashScope's plural in the details of usage."""
    return tuple(
        Move(("usage", f"{side}_{name}"), ("usage", f"{side}_token_details")) for side in ("input", "output")
    )


BETA_NAMES = {
    "conversation.item.added": "conversation.item.created",
    "response.output_text.delta": "response.text.delta",
    "response.output_text.done": "response.text.done",
    "response.output_audio.delta": "response.audio.delta",
    "response.output_audio.done": "response.audio.done",
    "response.output_audio_transcript.delta": "response.audio_transcript.delta",
    "response.output_audio_transcript.done": "response.audio_transcript.done",
}
_FLAT_RESPONSE = (
    Move(("modalities",), ("output_modalities",), _read_modalities, _write_modalities),
    Move(("voice",), ("audio", "output", "voice")),
    Move(("output_audio_format",), ("audio", "output", "format"), _BETA_FORMATS["read"], _BETA_FORMATS["write"]),
    Move(("max_response_output_tokens",), ("max_output_tokens",)),
)  # fmt: skip

GA = Dialect("ga")
BETA = Dialect(
    "beta",
    names=BETA_NAMES,
    silent=frozenset({"conversation.item.done"}),
    session=_flat(_BETA_FORMATS, _BETA_FORMATS),
    response=_FLAT_RESPONSE,
)


def flat_dialect(
    name: str,
    *,
    in_hz: int,
    into: tuple[tuple[str, str, int | None], ...],
    out: tuple[tuple[str, str, int | None], ...],
    silent: frozenset[str],
    max_tokens: str,
) -> Dialect:
    """A dialect that grew out of the beta: its formats, its name for the limit, and what it has not."""
    moves = tuple(
        move for move in _flat(_formats(into), _formats(out)) if move.ours != ("max_output_tokens",)
    )
    response = (*_FLAT_RESPONSE[:2], *_details("tokens_details"))
    session = (*moves, Move((max_tokens,), ("max_output_tokens",)))
    return Dialect(
        name, in_hz=in_hz, names=BETA_NAMES, silent=BETA.silent | silent,
        session=session, response=response, nested_tools=True,
    )  # fmt: skip


def moved(value: Json, moves: tuple[Move, ...], *, reading: bool) -> Json:
    """A copy with every field at its new place. What stands there already wins."""
    result = _copy(value)
    for move in moves:
        source, target = (move.theirs, move.ours) if reading else (move.ours, move.theirs)
        taken = _take(result, source)
        if taken is not _MISSING:
            _put(result, target, (move.read if reading else move.write)(taken))
    return result


_OPENED = frozenset({"audio", "input", "output", "usage"})


def _copy(value: Json, depth: int = 2) -> Json:
    """As deep as moves reach: the object itself, `audio`, and its two sides."""
    return {
        key: _copy(cast("Json", field), depth - 1)
        if depth and key in _OPENED and isinstance(field, dict)
        else field
        for key, field in value.items()
    }


def _take(value: Json, path: Path) -> Any:
    *way, last = path
    holders: list[tuple[Json, str]] = []
    for key in way:
        inner = value.get(key)
        if not isinstance(inner, dict):
            return _MISSING
        holders.append((value, key))
        value = cast("Json", inner)
    taken = value.pop(last, _MISSING)
    for holder, key in reversed(holders):
        if taken is not _MISSING and not holder[key]:
            del holder[key]
    return taken


def _put(value: Json, path: Path, taken: Any) -> None:
    *way, last = path
    for key in way:
        inner = value.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        value = cast("Json", inner)
    value.setdefault(last, taken)
