"""Realtime events from JSON and to JSON. Bad input is a `WireError` that names event and field, never
another exception; an event of an unknown name comes back as `Unknown`, as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import msgspec

from antiphon.errors import WireError
from antiphon.models.wire.ga.client import ClientEvent
from antiphon.models.wire.ga.dialect import BETA, BETA_NAMES, GA, Dialect, Move, moved
from antiphon.models.wire.ga.server import AudioCommitted, ItemAdded, ItemDone, ServerEvent
from antiphon.models.wire.ga.shapes import Event, Json, Part, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_T = TypeVar("_T")


def by_name(union: Any) -> dict[str, type[Event]]:
    """The types of a union of events by their names on the wire."""
    return {str(kind.__struct_config__.tag): kind for kind in get_args(union) if kind is not Unknown}


CLIENT = by_name(ClientEvent)
SERVER = by_name(ServerEvent)
_OURS = {theirs: ours for ours, theirs in BETA_NAMES.items() if theirs != "conversation.item.created"}
_NULLS = frozenset({"turn_detection", "transcription", "noise_reduction"})
_NONE, _PLACE, _WORDS = frozenset[str](), frozenset({"previous_item_id"}), frozenset({"transcript"})
_SPOKEN = {"text": "output_text", "audio": "output_audio"}
_BETA_SPOKEN = {theirs: ours for ours, theirs in _SPOKEN.items()}


def read_client(data: str | bytes, dialect: Dialect = GA) -> ClientEvent:
    """What a client sent. Raises WireError."""
    return cast("ClientEvent", read(data, CLIENT, dialect))


def read_server(data: str | bytes, dialect: Dialect = GA) -> ServerEvent:
    """What a server sent. Raises WireError."""
    return cast("ServerEvent", read(data, SERVER, dialect))


def write(event: Event | Unknown, dialect: Dialect = GA) -> str | None:
    """One event as JSON text, None where the dialect has no such event."""
    if isinstance(event, Unknown):
        return dump(event.body)
    name = str(event.__struct_config__.tag)
    if name in dialect.silent:
        return None
    body: Json = {"type": dialect.spell(name), **_plain(event)}
    return dump(_respelt(body, dialect, reading=False))


def read(data: str | bytes, kinds: Mapping[str, type[Event]], dialect: Dialect | None) -> Event | Unknown:
    """One event of the given kinds; without a dialect it must be spelt as its type. Raises WireError."""
    body = parse(data)
    named = body.get("type")
    if not isinstance(named, str) or not named:
        problem = "every event has one" if named is None else f"no name: {str(named)[:40]!r}"
        raise WireError("an event", "type", problem)
    kind = kinds.get(_OURS.get(named, named))
    if kind is None:
        return Unknown(named, body)
    if dialect is None:
        return converted(body, kind, named)
    theirs = dialect if dialect.session else BETA
    canonical = {**_respelt(body, theirs, reading=True), "type": kind.__struct_config__.tag}
    try:
        return converted(canonical, kind, named)
    except WireError as error:
        raise WireError(named, _as_sent(error.field, body, theirs), error.problem) from None


def _as_sent(field: str | None, body: Json, dialect: Dialect) -> str | None:
    """A field under the name that its sender gave it."""
    for key, moves in (("session", dialect.session), ("response", dialect.response)):
        for move in moves:
            ours, theirs = ".".join((key, *move.ours)), ".".join((key, *move.theirs))
            given = body.get(key)
            sent = isinstance(given, dict) and move.theirs[0] in given
            if sent and field and (field == ours or field.startswith((f"{ours}.", f"{ours}["))):
                return theirs + field[len(ours) :]
    return field


def converted(body: Any, kind: type[_T], named: str) -> _T:
    """The typed value. Raises WireError that names the field."""
    try:
        return msgspec.convert(body, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        problem, _, place = str(error).partition(" - at `$")
        raise WireError(named, place.rstrip("`").lstrip(".") or None, problem) from None


def parse(data: str | bytes) -> Json:
    """One JSON object. Raises WireError."""
    try:
        body: object = msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        shown = data[:40] if isinstance(data, str) else data[:40].decode(errors="replace")
        raise WireError("a frame", None, f"no JSON ({error}): {shown!r}") from None
    if not isinstance(body, dict):
        raise WireError("a frame", None, f"no JSON object but {type(body).__name__}")
    return cast("Json", body)


def _respelt(body: Json, dialect: Dialect, *, reading: bool) -> Json:
    """The event with its session, response, items and tools in the other spelling."""
    result = dict(body)
    for key, moves in (("session", dialect.session), ("response", dialect.response)):
        _change(result, key, lambda value, moves=moves: _settings(value, moves, dialect, reading=reading))
    if not reading and dialect.session and "session" in result:
        result["session"].pop("type", None)
    _change(result, "item", lambda value: _item(value, _spoken(dialect, reading=reading)))
    return result


def _spoken(dialect: Dialect, *, reading: bool) -> dict[str, str]:
    """Names of an assistant's parts."""
    return _SPOKEN if reading else _BETA_SPOKEN if dialect.session else {}


def _settings(value: Any, moves: tuple[Move, ...], dialect: Dialect, *, reading: bool) -> Any:
    if not isinstance(value, dict):
        return value
    spoken = _spoken(dialect, reading=reading)
    result = moved(cast("Json", value), moves, reading=reading)
    for key in ("output", "input"):
        _change(result, key, lambda items: _each(items, lambda item: _item(item, spoken)))
    wrap = _unnested if reading else _nested if dialect.nested_tools else None
    if wrap is not None:
        _change(result, "tools", lambda tools: _each(tools, wrap))
    return result


def _change(value: Json, key: str, change: Callable[[Any], Any]) -> None:
    if key in value:
        value[key] = change(value[key])


def _each(values: Any, change: Callable[[Any], Any]) -> Any:
    return [change(value) for value in cast("list[Any]", values)] if isinstance(values, list) else values


def _item(item: Any, spoken: dict[str, str]) -> Any:
    """An assistant's parts are `text` and `audio` in the beta dialect."""
    if not isinstance(item, dict) or cast("Json", item).get("role") != "assistant":
        return cast("Any", item)
    result = dict(cast("Json", item))
    _change(result, "content", lambda parts: _each(parts, lambda part: _part(part, spoken)))
    return result


def _part(part: Any, spoken: dict[str, str]) -> Any:
    if not isinstance(part, dict):
        return part
    result = dict(cast("Json", part))
    _change(result, "type", lambda kind: spoken.get(kind, kind) if isinstance(kind, str) else kind)
    return result


def _unnested(tool: Any) -> Any:
    """`{"type": "function", "function": {…}}` as well as the flat form."""
    if not isinstance(tool, dict):
        return tool
    flat = dict(cast("Json", tool))
    inner = flat.pop("function", None)
    return {**flat, **cast("Json", inner)} if isinstance(inner, dict) else cast("Json", tool)


def _nested(tool: Json) -> Json:
    return {"type": "function", "function": {key: value for key, value in tool.items() if key != "type"}}


def _plain(value: Any) -> Any:
    """Structs as JSON objects, without what is absent. A user's own JSON inside stays as it is."""
    if isinstance(value, msgspec.Struct):
        fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
        nulls = _NULLS | _nulls_of(value)
        return {
            name: _plain(field)
            for name, field in fields
            if field is not msgspec.UNSET and (field is not None or name in nulls)
        }
    if isinstance(value, tuple):
        return [_plain(element) for element in cast("tuple[Any, ...]", value)]
    return value


def _nulls_of(value: msgspec.Struct) -> frozenset[str]:
    """Where null is news too: nothing comes before an item, or the words of some sound are not known yet."""
    if isinstance(value, ItemAdded | ItemDone | AudioCommitted):
        return _PLACE
    return (
        _WORDS if isinstance(value, Part) and value.type == "input_audio" and value.audio is None else _NONE
    )


def dump(body: Json) -> str:
    """JSON text."""
    return msgspec.json.encode(body).decode()
