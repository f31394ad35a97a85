"""A session's settings in the GA dialect: defaults, changes, and what we can honour of them."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from antiphon.errors import WireError
from antiphon.messages import ToolSpec
from antiphon.models.wire.ga.shapes import (
    Audio,
    Format,
    Listening,
    NoiseReduction,
    Session,
    Shape,
    Speaking,
    Tool,
    Transcription,
    TurnDetection,
)
from antiphon.realtime.ga_sound import checked
from antiphon.realtime.hearing import Manner

_MODALITIES = (("audio",), ("text",))
_WAYS = ("server_vad", "semantic_vad", "smart_turn")
_EVENT = "session.update"
_SPEEDS = (0.25, 4.0)
# Stock clients name one of OpenAI's voices unasked. Nobody else has them: they mean the voice that is here.
_THEIR_VOICES = frozenset(
    {
        "alloy",
        "ash",
        "ballad",
        "cedar",
        "coral",
        "echo",
        "fable",
        "marin",
        "nova",
        "onyx",
        "sage",
        "shimmer",
        "verse",
    }
)


def fresh(session: str, model: str, voice: str, expires_at: int) -> Session:
    """What a session is before its client says anything."""
    pcm = Format(type="audio/pcm", rate=24_000)
    turns = TurnDetection(
        type="server_vad", threshold=0.5, prefix_padding_ms=300, silence_duration_ms=160,
        create_response=True, interrupt_response=True,
    )  # fmt: skip
    listening = Listening(
        format=pcm, turn_detection=turns, transcription=Transcription(), noise_reduction=None
    )
    return Session(
        type="realtime", object="realtime.session", id=session, model=model, expires_at=expires_at, instructions="",
        output_modalities=("audio",), tools=(), tool_choice="auto", max_output_tokens="inf",
        audio=Audio(input=listening, output=Speaking(format=pcm, voice=voice, speed=1.0)),
    )  # fmt: skip


def changed(now: Session, change: Session) -> Session:
    """The settings after a change. Raises WireError that names the field which we cannot honour; the
    session then stays as it was."""
    new = _merged(now, replace(change, id=None, object=None, type=None, model=None, expires_at=None))
    if new.output_modalities not in _MODALITIES:
        raise WireError(_EVENT, "session.output_modalities", 'either ["audio"] or ["text"]')
    audio = new.audio or Audio()
    listening, speaking = audio.input or Listening(), audio.output or Speaking()
    _check_turns(listening)
    _check_voice(speaking, now)
    for tool in new.tools or ():
        if tool.type != "function" or not tool.name:
            raise WireError(_EVENT, "session.tools", f"only functions with a name, not {tool.type!r}")
    if new.tool_choice not in ("auto", None):
        raise WireError(_EVENT, "session.tool_choice", 'only "auto": the model chooses')
    if speaking.voice in _THEIR_VOICES:
        before = now.audio.output if now.audio is not None else None
        speaking = replace(speaking, voice=before.voice if before is not None else None)
    listening = replace(listening, format=checked(listening.format, "session.audio.input.format"))
    speaking = replace(speaking, format=checked(speaking.format, "session.audio.output.format"))
    return replace(new, audio=Audio(input=listening, output=speaking))


def _merged(now: Any, change: Any) -> Any:
    fields: dict[str, Any] = {}
    for name in change.__struct_fields__:
        value, old = getattr(change, name), getattr(now, name)
        if value is None and name not in ("turn_detection", "transcription", "noise_reduction"):
            continue
        if value is UNSET:
            continue
        nested = isinstance(value, Audio | Listening | Speaking) and isinstance(old, Shape)
        fields[name] = _merged(old, value) if nested else value
    return replace(now, **fields)


def _check_turns(listening: Listening) -> None:
    turns = listening.turn_detection
    if not isinstance(turns, TurnDetection):
        return
    where = "session.audio.input.turn_detection"
    if turns.type not in _WAYS:
        raise WireError(_EVENT, f"{where}.type", f"no {turns.type!r}; there are: {', '.join(_WAYS)}, null")
    for name in ("create_response", "interrupt_response"):
        if getattr(turns, name) is False:
            raise WireError(_EVENT, f"{where}.{name}", "turns without answers need turn_detection null")
    if turns.threshold is not None and not 0 < turns.threshold < 1:
        raise WireError(_EVENT, f"{where}.threshold", "between 0 and 1")
    for name, most in (("silence_duration_ms", 10_000), ("prefix_padding_ms", 5_000)):
        value = getattr(turns, name)
        if value is not None and not 0 <= value <= most:
            raise WireError(_EVENT, f"{where}.{name}", f"between 0 and {most}")


def _check_voice(speaking: Speaking, now: Session) -> None:
    if speaking.speed is not None and not _SPEEDS[0] <= speaking.speed <= _SPEEDS[1]:
        raise WireError(_EVENT, "session.audio.output.speed", "between 0.25 and 4")
    if speaking.voice is not None and not isinstance(speaking.voice, str):
        raise WireError(_EVENT, "session.audio.output.voice", "the name of a voice")


def manner(session: Session) -> Manner | None:
    """When speech begins and ends; None where the client takes the turns."""
    listening = session.audio.input if session.audio is not None else None
    turns = listening.turn_detection if listening is not None else None
    if not isinstance(turns, TurnDetection):
        return None
    plain = Manner()
    return Manner(
        threshold=turns.threshold or plain.threshold,
        # A turn's end is the policy's decision. The detector only says that it is quiet, so a client's long
        # silence must not keep that from the policy.
        silence_ms=min(turns.silence_duration_ms or plain.silence_ms, plain.silence_ms),
        before_ms=turns.prefix_padding_ms or plain.before_ms,
    )


def far_field(session: Session) -> bool:
    """Whether the client says that its microphone stands in a room, and so hears the loudspeaker too."""
    listening = session.audio.input if session.audio is not None else None
    reduction = listening.noise_reduction if listening is not None else None
    return isinstance(reduction, NoiseReduction) and reduction.type == "far_field"


def tools(session: Session) -> tuple[ToolSpec, ...]:
    """The client's functions."""
    return tuple(_spec(tool) for tool in session.tools or ())


def _spec(tool: Tool) -> ToolSpec:
    return ToolSpec(
        tool.name or "", tool.description or "", tool.parameters or {"type": "object", "properties": {}}
    )
