"""Answers: the one queue of those due, the one under way, and the one that was cut and may go on."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from antiphon.models.clauses import Splitter, has_words
from antiphon.realtime.events import Render

if TYPE_CHECKING:
    from antiphon.realtime.engine.playback_log import ItemLog
    from antiphon.realtime.events import Effect, Rendered

DueKind = Literal["turn", "typed", "asked", "tool", "background"]


@dataclass(frozen=True, slots=True)
class Due:
    """An answer that somebody is owed: for a turn of the person (`turn` names it), or for what came back.
    `request` is the client's wish that it fulfils."""

    kind: DueKind
    why: str
    turn: str | None = None
    request: str = ""


@dataclass(slots=True)
class Reply:
    """One answer from its request to its end. `item` is what sounds; a cut answer goes on as another item of the
    same request."""

    id: str
    generation: int
    item: str
    due: Due
    log: ItemLog
    text: str = ""
    written: bool = False
    error: str | None = None
    cut_short: bool = False
    called: bool = False  # it has called a tool whose result it does not know: what it writes now is not said
    after: str = ""  # the client's wish for the answer to what its calls gave
    played: bool = False
    splitter: Splitter = field(default_factory=Splitter)
    renders: dict[str, int] = field(
        default_factory=dict[str, int]
    )  # clause under way → its end in characters
    submitted: int = 0
    early: list[Rendered] = field(default_factory=list["Rendered"])

    def write(self, text: str) -> list[Effect]:
        """More words: clauses that are complete go to the renderer."""
        self.text += text
        self.log.text = self.text
        return self._render(self.splitter.feed(text))

    def close(self) -> list[Effect]:
        """No more words come."""
        self.written = True
        return self._render(self.splitter.flush())

    def flush(self) -> list[Effect]:
        """Speak what is written: something else takes time now."""
        return self._render(self.splitter.flush())

    def _render(self, clauses: list[str]) -> list[Effect]:
        effects: list[Effect] = []
        for clause in clauses:
            begin, self.submitted = self.submitted, self.submitted + len(clause)
            if has_words(clause):
                name = f"{self.item}.{begin}"
                self.renders[name] = self.submitted
                effects.append(Render(name, self.generation, self.item, clause))
        return effects

    def sounded(self, given: Rendered) -> bool:
        """Sound for a clause; False when it belongs to no clause under way. Sound that comes before that of an
        earlier clause counts once that one is whole: clauses are played in order."""
        if given.id not in self.renders or given.generation != self.generation:
            return False
        self.early.append(given)
        while ready := next((each for each in self.early if each.id == next(iter(self.renders), None)), None):
            self.early.remove(ready)
            self._count(ready)
        return True

    def _count(self, given: Rendered) -> None:
        end = self.renders[given.id]
        left = end - self.log.marks[-1][1]
        self.log.made(given.ms, left if given.last else min(given.chars, left))
        if given.last:
            del self.renders[given.id]
        if given.error is not None:
            self.error = given.error

    @property
    def sound(self) -> bool:
        """Whether there is anything to play."""
        return self.log.made_ms > 0

    @property
    def over(self) -> bool:
        """Written, spoken and heard to its end, or failed with nothing left to hear."""
        heard_all = self.log.played_ms >= self.log.made_ms
        return heard_all and (self.error is not None or (self.written and not self.renders))

    @property
    def finish(self) -> str:
        if self.error is not None:
            return "failed"
        return "tool_calls" if self.called else "length" if self.cut_short else "stop"


@dataclass(slots=True)
class Replies:
    """The reducer of answers."""

    queue: deque[Due] = field(default_factory=deque[Due])
    now: Reply | None = None
    cut: Reply | None = None

    def owe(self, due: Due) -> None:
        self.queue.append(due)

    def owed_for(self, turn: str) -> Due | None:
        return next((due for due in self.queue if due.turn == turn), None)

    def of(self, id_: str, generation: int) -> Reply | None:
        """The answer a result belongs to; None for a stale one."""
        for reply in (self.now, self.cut):
            if reply is not None and reply.id == id_ and reply.generation == generation:
                return reply
        return None
