"""A conversation with the engine in a test: people speak, a scripted model writes, sound is played."""

from __future__ import annotations

from antiphon.realtime import events as e
from antiphon.realtime.engine.engine import Engine
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.settings import Settings
from antiphon.realtime.turn_policy import TurnPolicy

MS = 1000
LONG = "One two three four five six. Seven eight nine ten eleven twelve thirteen. The very end of it."


class Talk:
    """Times in ms. Every call is one step; `seen` keeps all effects."""

    def __init__(self, settings: Settings | None = None, policy: TurnPolicy | None = None) -> None:
        self.engine = Engine(settings or Settings(names=("Nova",)), policy or policy_named("default"))
        self.seen: list[e.Effect] = []
        self.t = 0

    def step(self, t: int, *inputs: e.Input) -> list[e.Effect]:
        self.t = t
        effects = self.engine.step(t * MS, inputs)
        self.seen += effects
        return effects

    def of(self, kind: type) -> list:
        return [effect for effect in self.seen if isinstance(effect, kind)]

    def starts(self, t: int, name: str, *, enrolled: bool | None = True, speaker: str = "p") -> None:
        self.step(t, e.SpeechStarted(t * MS, name, (t - 80) * MS, speaker=speaker, enrolled=enrolled))

    def says(self, t: int, name: str, text: str, *, lasts: int = 1000, enrolled: bool | None = True) -> int:
        """A whole utterance from `t`, with its words; the time when all of it is known."""
        self.starts(t, name, enrolled=enrolled, speaker="p" if enrolled else "q")
        end = t + lasts
        self.step(end + 200, e.SpeechStopped((end + 200) * MS, name, end * MS))
        self.step(end + 300, e.Words((end + 300) * MS, name, text, end * MS, final=True))
        return end + 300

    def waits(self, t: int) -> None:
        self.step(t)

    def writes(self, t: int, text: str = LONG) -> e.StartAnswer:
        """The model answers the latest request, and every clause gets 100 ms of sound a character."""
        start = self.of(e.StartAnswer)[-1]
        self.step(
            t,
            e.AnswerText(t * MS, start.id, start.generation, text),
            e.AnswerDone(t * MS, start.id, start.generation),
        )
        self.renders(t)
        return start

    def renders(self, t: int) -> None:
        rendered = {each.id for each in self.of(e.Render)} - self._done
        for clause in self.of(e.Render):
            if clause.id in rendered:
                self._done.add(clause.id)
                size = len(clause.text)
                self.step(t, e.Rendered(t * MS, clause.id, clause.generation, 100 * size, size, last=True))

    @property
    def _done(self) -> set[str]:
        return self.__dict__.setdefault("done", set())

    def plays(self, t: int, item: str, ms: int) -> None:
        self.step(t, e.Played(t * MS, item, ms))

    def speaking(self) -> str:
        """Bring the agent to speak a long answer; the item. It is at t = 3000 ms, 1 s into it."""
        known = self.says(100, "first", "What is it?")
        self.waits(known + 500)
        item = self.writes(2000).item
        self.plays(3000, item, 1000)
        return item

    def history(self) -> list[tuple[str, str]]:
        return [(message.role, message.text) for message in self.engine.messages()]

    def decisions(self) -> list[tuple[str, str, str]]:
        return [(each.floor, each.answer, each.reason) for each in self.of(e.Decided)]
