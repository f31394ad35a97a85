"""Writing a session: lines with their cues, the points they are judged by, phrases drawn without repetition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from antiphon.ids import rng
from antiphon.partner.live import Cue, Line, Piece
from antiphon.realtime.sets.phrases import OURS
from antiphon.realtime.settings import Settings
from antiphon.realtime.simulation.simulate import Session

if TYPE_CHECKING:
    from antiphon.realtime.sets.phrases import Book

# respond: a new answer comes. ignore: none comes, and speech that was going on goes on. quiet: none comes, and
# speech that was going on ends. resume: what was cut goes on. None: whatever the agent does is right.
Expect = Literal["respond", "ignore", "quiet", "resume"]


@dataclass(frozen=True, slots=True)
class Point:
    """What is right after one line; `task` groups points in the report."""

    line: str
    task: str
    expect: Expect


@dataclass(frozen=True, slots=True)
class Scripted:
    """A session and its points. A point that turns out unjudgeable does not count."""

    session: Session
    points: tuple[Point, ...]


class Script:
    """A session in the making. Everything is drawn from (seed, id)."""

    def __init__(self, id: str, number: int, seed: int, book: Book = OURS) -> None:
        """Session `number` of a set; languages take turns."""
        self.id, self.language, self._book = id, book.languages[number % len(book.languages)], book
        self.lines: list[Line] = []
        self.points: list[Point] = []
        self.answers: dict[str, str] = {}  # line → what the scripted model answers
        self._rng = rng(seed, "script", id)
        self._left: dict[str, list[int]] = {}  # what was not drawn yet
        self.agent: str = self.draw("agents")
        self.user: str = self.draw("users")
        self.other: str = self.draw("people")

    def draw(self, what: str) -> Any:
        """One phrase of a sort; none comes twice before all have come."""
        choices = self._book.of(self.language, what)
        order = self._left.setdefault(what, [])
        if not order:
            order += [int(number) for number in self._rng.permutation(len(choices))]
        return choices[order.pop()]

    def uniform(self, least: float, most: float) -> int:
        """Seconds, as microseconds."""
        return int(self._rng.uniform(least, most) * 1e6)

    def chance(self, share: float) -> bool:
        return bool(self._rng.random() < share)

    def say(self, text: str, cue: Cue, delay_us: int, *, other: bool = False) -> str:
        """Somebody says a line; its id."""
        name = f"{self.id}-{len(self.lines)}"
        speaker = self.other if other else self.user
        filled = text.format(name=self.other, user=self.user, agent=self.agent)
        self.lines.append(
            Line(name, speaker, not other, self.language, (Piece(filled),), cue, delay_us),
        )
        return name

    def judge(self, line: str, task: str, expect: Expect) -> None:
        self.points.append(Point(line, task, expect))

    def done(self) -> Scripted:
        self.answers.setdefault("", self._book.of(self.language, "topics")[0]["answer"])
        settings = Settings(names=(self.agent,))
        rate = 0.9 + 0.3 * float(self._rng.random())
        session = Session(self.id, self.language, tuple(self.lines), settings, dict(self.answers), rate)
        return Scripted(session, tuple(self.points))
