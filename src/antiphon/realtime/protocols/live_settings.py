"""A session's settings in the Live protocol: what a client may ask for, and what we can honour of it."""

from __future__ import annotations

from typing import Any, cast

from msgspec.structs import replace

from antiphon.errors import WireError
from antiphon.messages import Message, ToolSpec, says
from antiphon.models.wire.ga.shapes import Format, Json
from antiphon.models.wire.live import Audio, DelegationSettings, LiveSession, Voice
from antiphon.realtime.protocols.ga_sound import checked

_START, _UPDATE = "session.start", "session.update"
_MOST_HISTORY = 128
_LONGEST_DELAY_MS = 60_000
_ROLES = {"developer": "system", "user": "user", "assistant": "assistant"}
_IMMUTABLE = ("model", "audio", "client", "input", "instructions", "safety_identifier", "store")
# What tunes OpenAI's own background models. A session goes on without, and is told so.
_TUNING = ("reasoning", "text", "service_tier", "max_output_tokens")
# OpenAI's voices, which nobody else has: they mean the voice that is here.
THEIR_VOICES = frozenset((
    "alloy", "ash", "ballad", "beacon", "bossa", "cedar", "cinder", "coral", "delta", "echo", "gleam", "marin",
    "meridian", "quartz", "ripple", "sage", "shida", "shimmer", "stone", "tempo", "verse", "vesper", "willow",
))  # fmt: skip
DELEGATE = ToolSpec(
    "delegate",
    "Hand over whatever needs looking up, careful reasoning or an action outside this conversation. The one who "
    "takes it over has heard the conversation, and reports back later; go on talking meanwhile.",
    {"type": "object", "properties": {}},
    blocks_answer=False,
    slow=True,
)


def started(asked: LiveSession, session: str, model: str, voice: str, expires_at: int) -> LiveSession:
    """The settings that hold from now on. Raises WireError that names the first field which we cannot honour."""
    if not asked.model:
        raise WireError(_START, "session.model", "is required; any name means the agent that is served here")
    if asked.client is not None:
        raise WireError(_START, "session.client", "is for WebRTC; this is the primary WebSocket")
    if asked.store:
        raise WireError(_START, "session.store", "nothing is kept for forks here")
    _check_triggers(_START, asked)
    history(asked)
    delegation = asked.delegation
    if delegation is not None:
        delegation = replace(delegation, acknowledgement_delay_ms=delegation.acknowledgement_delay_ms or 0)
        _check_delegation(_START, delegation)
    return LiveSession(
        id=session, model=model, expires_at=expires_at, status="active", audio=_audio(asked, voice),
        delegation=delegation, input=asked.input, instructions=asked.instructions, store=False, triggers=(),
        safety_identifier=asked.safety_identifier,
    )  # fmt: skip


def updated(now: LiveSession, change: LiveSession) -> LiveSession:
    """The settings after a change. Raises WireError; the session then stays as it was."""
    for name in _IMMUTABLE:
        if getattr(change, name) is not None:
            raise WireError(_UPDATE, f"session.{name}", "cannot change once the session has started")
    _check_triggers(_UPDATE, change)
    new, old = change.delegation, now.delegation
    if new is None:
        return now
    if old is None or new.type != old.type:
        kind = repr(old.type) if old is not None else "none"
        raise WireError(_UPDATE, "session.delegation.type", f"is {kind} for the whole session")
    delay_ms = new.acknowledgement_delay_ms
    merged = replace(
        old,
        acknowledgement_delay_ms=old.acknowledgement_delay_ms if delay_ms is None else delay_ms,
        responses=old.responses if new.responses is None else {**(old.responses or {}), **new.responses},
        decisions=new.decisions,
    )
    _check_delegation(_UPDATE, merged)
    return replace(now, delegation=merged)


def _audio(asked: LiveSession, voice: str) -> Audio:
    audio = asked.audio or Audio()
    try:
        sound = checked(audio.format, "session.audio.format")
    except WireError as error:
        raise WireError(_START, error.field, error.problem) from None
    wanted = audio.output.voice if audio.output is not None else None
    if isinstance(wanted, dict):
        raise WireError(_START, "session.audio.output.voice", "no voices of your own here; give a name")
    named = voice if wanted is None or wanted in THEIR_VOICES else wanted
    rate = sound.rate or 8000  # of the telephone's formats, which have no other
    return Audio(format=Format(type=sound.type, rate=rate), output=Voice(voice=named))


def _check_triggers(event: str, session: LiveSession) -> None:
    if session.triggers:
        raise WireError(event, "session.triggers", "there is no decision model here")


def _check_delegation(event: str, delegation: DelegationSettings) -> None:
    where = "session.delegation"
    if delegation.type not in ("client", "responses"):
        raise WireError(event, f"{where}.type", f"no {delegation.type!r}; there are: client, responses")
    if delegation.decisions is not None:
        raise WireError(event, f"{where}.decisions", "there is no decision model here")
    if not 0 <= (delegation.acknowledgement_delay_ms or 0) <= _LONGEST_DELAY_MS:
        raise WireError(event, f"{where}.acknowledgement_delay_ms", f"between 0 and {_LONGEST_DELAY_MS}")
    if delegation.type == "client":
        if delegation.responses is not None:
            raise WireError(event, f"{where}.responses", 'belongs to the type "responses"')
        return
    responses = delegation.responses or {}
    where += ".responses"
    if not isinstance(responses.get("model"), str):
        raise WireError(event, f"{where}.model", "is required; any name means the model that is served here")
    if not isinstance(responses.get("instructions") or "", str):
        raise WireError(event, f"{where}.instructions", "a text")
    if responses.get("tool_choice") not in (None, "auto"):
        raise WireError(event, f"{where}.tool_choice", 'only "auto": the model chooses')
    _functions(event, responses)


def _functions(event: str, responses: Json) -> tuple[ToolSpec, ...]:
    where, found = "session.delegation.responses.tools", responses.get("tools") or []
    if not isinstance(found, list):
        raise WireError(event, where, "a list of functions")
    return tuple(_function(event, f"{where}[{at}]", tool) for at, tool in enumerate(cast("list[Any]", found)))


def _function(event: str, where: str, tool: Any) -> ToolSpec:
    given = cast("Json", tool) if isinstance(tool, dict) else {}
    name, what = given.get("name"), given.get("description") or ""
    schema = given.get("parameters") or {"type": "object", "properties": {}}
    if given.get("type") != "function" or not isinstance(name, str) or not name:
        kind = str(given.get("type"))[:40]
        raise WireError(event, where, f"only functions with a name run at the client, not {kind!r}")
    if not isinstance(what, str) or not isinstance(schema, dict):
        raise WireError(event, where, "a description is a text, parameters are a JSON schema")
    return ToolSpec(name, what, cast("Json", schema), slow=True)


def unhonoured(session: LiveSession) -> list[str]:
    """The fields that change nothing here."""
    delegation = session.delegation
    responses = (delegation.responses if delegation is not None else None) or {}
    ignored = [name for name in _TUNING if responses.get(name) is not None]
    if responses.get("parallel_tool_calls") is False:
        ignored.append("parallel_tool_calls")
    return [f"session.delegation.responses.{name}" for name in ignored]


def tools(session: LiveSession) -> tuple[ToolSpec, ...]:
    """What the model may give away: its work as such, or calls of the functions that the client runs. To a
    client that does not say that it takes work, nothing: small models would give everything away, and wait."""
    delegation = session.delegation
    if delegation is None:
        return ()
    if delegation.type == "client":
        return (DELEGATE,)
    return _functions(_START, delegation.responses or {})


def instructions(session: LiveSession) -> str:
    """For the one model here: those of the conversation, and those of the work behind it."""
    delegation = session.delegation
    behind = str(((delegation.responses if delegation is not None else None) or {}).get("instructions") or "")
    return "\n\n".join(text for text in (session.instructions or "", behind) if text.strip())


def history(session: LiveSession) -> list[Message]:
    """What was said before. Raises WireError."""
    items = session.input or ()
    if len(items) > _MOST_HISTORY:
        raise WireError(_START, "session.input", f"at most {_MOST_HISTORY} messages")
    return [_message(f"session.input[{at}]", item) for at, item in enumerate(items)]


def _message(where: str, item: Json) -> Message:
    role = _ROLES.get(str(item.get("role")))
    if role is None or item.get("type", "message") != "message":
        raise WireError(_START, f"{where}.role", f"a message of {', '.join(_ROLES)}")
    return says(cast("Any", role), text_of(_START, where, item))


def text_of(event: str, where: str, item: Json) -> str:
    """The words of a message item. Raises WireError."""
    content = item.get("content")
    parts = cast("list[Any]", content) if isinstance(content, list) else [{"text": content}]
    texts = [cast("Json", part).get("text") if isinstance(part, dict) else None for part in parts]
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise WireError(event, f"{where}.content", "words, and nothing else")
    return "".join(cast("list[str]", texts))
