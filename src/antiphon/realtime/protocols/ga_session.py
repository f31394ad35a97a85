"""A session's settings in the GA dialect: defaults, changes, and what we can honour of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from antiphon.errors import WireError
from antiphon.messages import ToolSpec
from antiphon.models.wire.ga.shapes import (
    Audio,
    Format,
    Json,
    Listening,
    NoiseReduction,
    ResponseOptions,
    Session,
    Shape,
    Speaking,
    Tool,
    Transcription,
    TurnDetection,
)
from antiphon.realtime.live.hearing import Manner
from antiphon.realtime.live.ports import Wish
from antiphon.realtime.protocols.ga_sound import checked

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.messages import Message
    from antiphon.models.wire.ga.shapes import Item

_MODALITIES = (("audio",), ("text",))
_WAYS = ("server_vad", "semantic_vad", "smart_turn")
_EVENT = "session.update"
_SPEEDS = (0.25, 4.0)
_TIMES_MS = {
    "silence_duration_ms": (0, 10_000),
    "prefix_padding_ms": (0, 5_000),
    "idle_timeout_ms": (1000, 600_000),
}
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
    _check_tools(new.tools, _EVENT, "session.tools")
    choice(new.tool_choice, tools(new), _EVENT, "session.tool_choice")
    most_tokens(new.max_output_tokens, _EVENT, "session.max_output_tokens")
    if speaking.voice in _THEIR_VOICES:
        before = now.audio.output if now.audio is not None else None
        speaking = replace(speaking, voice=before.voice if before is not None else None)
    listening = replace(
        listening, format=checked(listening.format, "session.audio.input.format"),
        turn_detection=_completed(listening.turn_detection),
    )  # fmt: skip
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
    if turns.threshold is not None and not 0 < turns.threshold < 1:
        raise WireError(_EVENT, f"{where}.threshold", "between 0 and 1")
    for name, (least, most) in _TIMES_MS.items():
        value = getattr(turns, name)
        if value is not None and not least <= value <= most:
            raise WireError(_EVENT, f"{where}.{name}", f"between {least} and {most}")


def _completed(given: TurnDetection | UnsetType | None) -> TurnDetection | UnsetType | None:
    """With the defaults said: clients look here whether they must cancel by themselves."""
    if not isinstance(given, TurnDetection):
        return given
    answers, yields = given.create_response is not False, given.interrupt_response is not False
    return replace(given, create_response=answers, interrupt_response=yields)


def _check_voice(speaking: Speaking, now: Session) -> None:
    if speaking.speed is not None and not _SPEEDS[0] <= speaking.speed <= _SPEEDS[1]:
        raise WireError(_EVENT, "session.audio.output.speed", "between 0.25 and 4")
    if speaking.voice is not None and not isinstance(speaking.voice, str):
        raise WireError(_EVENT, "session.audio.output.voice", "the name of a voice")


def manner(session: Session) -> Manner | None:
    """When speech begins and ends; None where the client takes the turns."""
    wanted = _turn_detection(session)
    if wanted is None:
        return None
    plain = Manner()
    return Manner(
        threshold=wanted.threshold or plain.threshold,
        # A turn's end is the policy's decision. The detector only says that it is quiet, so a client's long
        # silence must not keep that from the policy.
        silence_ms=min(wanted.silence_duration_ms or plain.silence_ms, plain.silence_ms),
        before_ms=wanted.prefix_padding_ms or plain.before_ms,
    )


def _turn_detection(session: Session) -> TurnDetection | None:
    listening = session.audio.input if session.audio is not None else None
    turns = listening.turn_detection if listening is not None else None
    return turns if isinstance(turns, TurnDetection) else None


def turns(session: Session) -> tuple[bool, bool]:
    """Whether turns are answered unasked, and whether speech over the agent's interrupts it."""
    wanted = _turn_detection(session)
    if wanted is None:
        return True, True
    return wanted.create_response is not False, wanted.interrupt_response is not False


def timeout_ms(session: Session) -> int | None:
    """After how much silence the agent says something unasked; None: never."""
    wanted = _turn_detection(session)
    return wanted.idle_timeout_ms if wanted is not None else None


def far_field(session: Session) -> bool:
    """Whether the client says that its microphone stands in a room, and so hears the loudspeaker too."""
    listening = session.audio.input if session.audio is not None else None
    reduction = listening.noise_reduction if listening is not None else None
    return isinstance(reduction, NoiseReduction) and reduction.type == "far_field"


def tools(session: Session) -> tuple[ToolSpec, ...]:
    """The client's functions."""
    return _specs(session.tools)


def _check_tools(given: tuple[Tool, ...] | None, event: str, field: str) -> None:
    for tool in given or ():
        if tool.type != "function" or not tool.name:
            raise WireError(event, field, f"only functions with a name, not {tool.type!r}")


def choice(
    given: str | Json | None, offered: tuple[ToolSpec, ...], event: str = _EVENT, field: str = "tool_choice"
) -> str:
    """Whether tools may be called: auto, none, required, or the name of the one to call. Raises WireError."""
    if given is None:
        return "auto"
    if isinstance(given, str):
        if given not in ("auto", "none", "required"):
            raise WireError(
                event, field, f"no {given!r}; there are: auto, none, required, or a function by name"
            )
        return given
    name = given.get("name")
    if given.get("type") != "function" or not any(spec.name == name for spec in offered):
        names = ", ".join(spec.name for spec in offered) or "none"
        raise WireError(event, field, f"no function {name!r} on offer; there are: {names}")
    return str(name)


def most_tokens(given: int | str | None, event: str = _EVENT, field: str = "max_output_tokens") -> int | None:
    """The limit of one answer; None: there is none. Raises WireError."""
    if given in (None, "inf"):
        return None
    if not isinstance(given, int) or given < 1:
        raise WireError(event, field, 'at least 1, or "inf"')
    return given


def wish(options: ResponseOptions, session: Session, read: Callable[[Item, int], Message]) -> Wish:
    """How one answer shall differ from the session; `read` makes a message of an item of its input. Raises
    WireError that names the field."""
    event = "response.create"
    if options.output_modalities not in (None, *_MODALITIES):
        raise WireError(event, "response.output_modalities", 'either ["audio"] or ["text"]')
    _check_tools(options.tools, event, "response.tools")
    offered = None if options.tools is None else _specs(options.tools)
    known = tools(session) if offered is None else offered
    chosen = choice(options.tool_choice, known, event, "response.tool_choice")
    return Wish(
        instructions=options.instructions,
        speaks=None if options.output_modalities is None else options.output_modalities == ("audio",),
        tools=offered,
        choice=None if options.tool_choice is None else chosen,
        most_tokens=most_tokens(options.max_output_tokens, event, "response.max_output_tokens"),
        cues=_cues(options.audio.output if options.audio is not None else None, session),
        messages=None if options.input is None else tuple(read(item, at) for at, item in enumerate(options.input)),
    )  # fmt: skip


def _cues(speaking: Speaking | None, session: Session) -> dict[str, float | str] | None:
    """One answer's voice. Its sound stays in the session's format."""
    if speaking is None:
        return None
    now = session.audio.output if session.audio is not None else None
    if speaking.format is not None and now is not None:
        format_ = checked(speaking.format, "response.audio.output.format")
        if format_ != now.format:
            raise WireError("response.create", "response.audio.output.format", "a session has one format")
    if speaking.voice is None or speaking.voice in _THEIR_VOICES:
        return None
    if not isinstance(speaking.voice, str):
        raise WireError("response.create", "response.audio.output.voice", "the name of a voice")
    return {"voice": speaking.voice}


def _specs(given: tuple[Tool, ...] | None) -> tuple[ToolSpec, ...]:
    return tuple(_spec(tool) for tool in given or ())


def _spec(tool: Tool) -> ToolSpec:
    return ToolSpec(
        tool.name or "", tool.description or "", tool.parameters or {"type": "object", "properties": {}}
    )
