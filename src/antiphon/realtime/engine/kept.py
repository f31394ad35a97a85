"""A conversation as it can be written down, and an engine that goes on with it in another process.

Kept are the history with what was heard, answers that are owed, the words of an answer that was being said, the
agreement, and calls that a client runs. Not kept is what only sound could tell: speech whose words are not known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from antiphon.messages import Message, Speech, Text, ToolCall, ToolResult
from antiphon.realtime.agreements import Agreement
from antiphon.realtime.engine.conversation import Spoken, Told, ToolUse, Turn
from antiphon.realtime.engine.playback_log import ItemLog
from antiphon.realtime.engine.replies import Due, Reply
from antiphon.realtime.tools import Running

if TYPE_CHECKING:
    from antiphon.messages import Part, Role
    from antiphon.realtime.engine.engine import Engine

# The file may be a moment older than what its client was told: no name of that moment is given again.
_NAMES_LATER = 1000
# A wish of the client's for one answer is not kept; its answer is owed all the same, and still the client's.
_REQUEST = "kept"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool, and what it gave, where that is known."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Given:
    """A tool's result."""

    call_id: str
    value: Any = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message: one of these."""

    text: str | None = None
    call: Call | None = None
    given: Given | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the history. Of what the agent said, `pieces` hold what was heard, in `heard_ms`."""

    kind: Literal["turn", "spoken", "tool", "told"]
    item: str
    role: Literal["system", "user", "assistant", "tool"]
    pieces: tuple[Piece, ...]
    heard_ms: int = 0


@dataclass(frozen=True, slots=True)
class Rest:
    """An answer whose words are all known, of which no more than `heard_chars` were heard."""

    item: str
    due: Due
    text: str
    heard_chars: int
    heard_ms: int
    called: bool


@dataclass(frozen=True, slots=True)
class Ran:
    """A call that a client was asked to run, by the name and generation that its result must carry."""

    name: str
    generation: int
    reply: str
    call: Call


@dataclass(frozen=True, slots=True)
class Kept:
    """A conversation. `saying` goes on at its word; `cut` goes on if the person wants it to."""

    entries: tuple[Entry, ...] = ()
    owed: tuple[Due, ...] = ()
    saying: Rest | None = None
    cut: Rest | None = None
    agreement: Agreement | None = None
    ran: tuple[Ran, ...] = field(default_factory=tuple)
    names: int = 0


def kept(engine: Engine) -> Kept:
    """The conversation as it stands."""
    answers = engine.answers
    replies = answers.replies
    now = replies.now
    saying = _rest(now) if now is not None and now.written and now.error is None else None
    owed = list(replies.queue)
    if now is not None and saying is None:
        owed.insert(0, now.due)
    return Kept(
        tuple(_entry(each) for each in answers.conversation.entries),
        tuple(owed),
        saying,
        _rest(replies.cut) if replies.cut is not None and replies.cut.written else None,
        engine.agreements.now,
        tuple(
            Ran(name, run.generation, run.reply, _call(run.call))
            for name, run in answers.tools.running.items()
        ),
        answers.names,
    )


def _rest(reply: Reply) -> Rest:
    log = reply.log
    return Rest(reply.item, reply.due, reply.text, log.heard_chars, log.played_ms, reply.called)


def _entry(entry: Turn | Spoken | ToolUse | Told) -> Entry:
    match entry:
        case Turn(item=item, text=text):
            return Entry("turn", item, "user", (Piece(text),))
        case Spoken(item=item, log=log):
            return Entry("spoken", item, "assistant", (Piece(log.heard),), log.played_ms)
        case ToolUse(call=call, result=result):
            given = (Piece(given=_given(result)),) if result is not None else ()
            return Entry("tool", "", "assistant", (Piece(call=_call(call)), *given))
        case Told(message=message, item=item):
            return Entry("told", item, message.role, tuple(_piece(part) for part in message.parts))


def _piece(part: Part) -> Piece:
    match part:
        case Text(text=text):
            return Piece(text)
        case Speech():
            return Piece(part.heard or "")
        case ToolCall():
            return Piece(call=_call(part))
        case ToolResult():
            return Piece(given=_given(part))


def _call(call: ToolCall) -> Call:
    return Call(call.id, call.name, dict(call.arguments))


def _given(result: ToolResult) -> Given:
    return Given(result.call_id, result.value, result.error)


def restore(engine: Engine, known: Kept) -> None:
    """Let a new engine go on with the conversation from its first step. Its settings must hold already."""
    answers = engine.answers
    answers.names = known.names + _NAMES_LATER
    lost = {each.item for each in known.entries if each.kind == "turn" and not _text(each)}
    for each in known.entries:
        if each.item not in lost or each.kind != "turn":
            answers.conversation.entries.append(_recalled(engine, each))
    engine.agreements.now = known.agreement
    for ran in known.ran:
        call = ToolCall(ran.call.id, ran.call.name, ran.call.arguments)
        if (spec := answers.tools.spec(call.name)) is not None:
            answers.tools.running[ran.name] = Running(call, spec, ran.generation, ran.reply)
        else:
            answers.conversation.give(ToolResult(call.id, error="nobody runs this tool any more"))
    answers.replies.queue.extend(_due(due) for due in known.owed if due.turn not in lost)
    if known.cut is not None:
        answers.replies.cut = _reply(engine, known.cut)
    if known.saying is not None:
        answers.replies.cut = _reply(engine, known.saying)
        engine.goes_on = True


def _due(due: Due) -> Due:
    return Due(due.kind, due.why, due.turn, _REQUEST if due.request else "")


def _reply(engine: Engine, rest: Rest) -> Reply:
    answers = engine.answers
    log = _log(rest.text, rest.heard_ms, rest.heard_chars)
    return Reply(
        answers.name("answer"), answers.names, rest.item, _due(rest.due), log, rest.text, written=True,
        called=rest.called, played=True,
    )  # fmt: skip


def _log(text: str, ms: int, chars: int) -> ItemLog:
    return ItemLog(text, ms, ms, ms, [(0, 0), (ms, chars)])


def _text(entry: Entry) -> str:
    return "".join(piece.text or "" for piece in entry.pieces)


def _recalled(engine: Engine, entry: Entry) -> Turn | Spoken | ToolUse | Told:
    match entry.kind:
        case "turn":
            return Turn(entry.item, (), _text(entry))
        case "spoken":
            text = _text(entry)
            log = engine.answers.playback.logs[entry.item] = _log(text, entry.heard_ms, len(text))
            engine.answers.last_item = entry.item
            return Spoken(entry.item, log)
        case "tool":
            call, *result = (_part(piece) for piece in entry.pieces)
            assert isinstance(call, ToolCall)
            given = result[0] if result else None
            return ToolUse(call, given if isinstance(given, ToolResult) else None)
        case "told":
            role: Role = entry.role
            return Told(Message(role, tuple(_part(piece) for piece in entry.pieces)), entry.item)


def _part(piece: Piece) -> Text | ToolCall | ToolResult:
    if piece.call is not None:
        return ToolCall(piece.call.id, piece.call.name, piece.call.arguments)
    if piece.given is not None:
        return ToolResult(piece.given.call_id, piece.given.value, piece.given.error)
    return Text(piece.text or "")
