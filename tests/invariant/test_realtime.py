"""No order of events makes the engine lose an answer, speak twice at once, or put unheard words into history."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antiphon.messages import ToolCall, ToolResult, ToolSpec
from antiphon.realtime import events as e
from antiphon.realtime.engine.engine import Engine
from antiphon.realtime.engine.kept import Kept, kept, restore
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.policy.semantic import CHOICES, SCORE, UNINTELLIGIBLE
from antiphon.realtime.settings import Settings

MS = 1000
MS_A_CHAR = 50
TEXTS = (
    "What is it?", "gotcha", "no, I meant the other one", "Marcus, where are my keys?", "please stop", "go on",
    "I want to", "那要花多少钱？", "嗯嗯", "hold on a moment",
)  # fmt: skip
ANSWER = "This is a long answer with many words. It has a second sentence as well. And a third one."
TOOLS = (
    ToolSpec("look", "", {}),
    ToolSpec("slow", "", {}, slow=True, blocks_answer=False),
    ToolSpec("fragile", "", {}, cancel_on_interrupt=True),
)
ACTIONS = (
    "start", "stop", "words", "final", "text", "done", "tool", "fail", "render", "play", "typed", "background",
    "cancel", "returned", "asked", "stale", "speaker", "late words", "wait", "score", "left",
    "came back", "restart",
)  # fmt: skip


class World:
    """Carries out what the engine asks for, in any order, and watches it."""

    def __init__(self, policy: str) -> None:
        self.settings = Settings(names=("Nova",), tools=TOOLS, acknowledgement="One moment.")
        self.engine = Engine(self.settings, policy_named(policy))
        self.t = 0
        self.spoken: list[str] = []  # utterances under way
        self.all: list[str] = []
        self.open: dict[str, e.StartAnswer] = {}
        self.clauses: list[e.Render] = []
        self.tools: dict[str, e.StartTool] = {}
        self.playing: str | None = None
        self.paused = False
        self.away = False
        self.made: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self.played: dict[str, int] = {}
        self.owed: list[str] = []  # words that somebody wrote, and that no request has carried yet
        self.ended: set[str] = set()
        self.count = 0

    def step(self, *inputs: e.Input) -> None:
        for effect in self.engine.step(self.t * MS, inputs):
            self.watch(effect)
        self.check()

    def watch(self, effect: e.Effect) -> None:
        match effect:
            case e.StartAnswer():
                assert not self.open, "two answers are written at once"
                self.open[effect.id] = effect
                said = " ".join(message.text for message in effect.messages)
                self.owed = [text for text in self.owed if text not in said]
            case e.CancelAnswer():
                self.open.pop(effect.id, None)
            case e.Render():
                self.clauses.append(effect)
                self.texts[effect.item] = self.texts.get(effect.item, "") + effect.text
            case e.Play():
                assert self.playing is None, "two items sound at once"
                assert not self.away, "it speaks to nobody"
                self.playing, self.paused = effect.item, False
            case e.Pause():
                assert self.playing == effect.item
                self.paused = True
            case e.Resume():
                assert self.playing == effect.item
                assert self.paused
                assert not self.away, "it speaks to nobody"
                assert effect.from_ms <= self.played.get(effect.item, 0)
                self.paused = False
            case e.Stop() | e.Said():
                self.silenced(effect)
            case e.StartTool():
                self.tools[effect.id] = effect
            case e.CancelTool():
                self.tools.pop(effect.id, None)  # it may return at the very moment
            case _:
                pass

    def silenced(self, effect: e.Stop | e.Said) -> None:
        """The item sounds no more; when it is over, its request is, too."""
        self.playing = None if self.playing == effect.item else self.playing
        self.clauses = [clause for clause in self.clauses if clause.item != effect.item]
        if isinstance(effect, e.Said):
            assert effect.item not in self.ended, "an item ends twice"
            self.ended.add(effect.item)
            self.open = {key: start for key, start in self.open.items() if start.item != effect.item}

    def check(self) -> None:
        """What the history says the agent said was heard."""
        heard = [
            message.text for message in self.engine.messages() if message.role == "assistant" and message.text
        ]
        for words in heard:
            assert any(
                text.startswith(words) and len(words) <= self.played.get(item, 0) // MS_A_CHAR
                for item, text in self.texts.items()
            ), f"nobody heard {words!r}"

    def do(self, action: str, number: int) -> None:
        getattr(self, "do_" + action.replace(" ", "_"))(number)

    def do_wait(self, number: int) -> None:
        self.step()

    def do_start(self, number: int) -> None:
        self.count += 1
        name = f"u{self.count}"
        self.spoken.append(name)
        self.all.append(name)
        enrolled = (True, True, True, False, None)[number % 5]
        self.step(
            e.SpeechStarted(
                self.t * MS, name, max(0, self.t - 80) * MS, speaker=str(enrolled), enrolled=enrolled
            )
        )

    def do_stop(self, number: int) -> None:
        if self.spoken:
            name = self.spoken.pop(number % len(self.spoken))
            self.step(e.SpeechStopped(self.t * MS, name, max(0, self.t - 200) * MS))

    def words(self, names: Sequence[str], number: int, *, final: bool) -> None:
        if names:
            self.step(
                e.Words(
                    self.t * MS,
                    names[number % len(names)],
                    TEXTS[number % len(TEXTS)],
                    self.t * MS,
                    final=final,
                )
            )

    def do_words(self, number: int) -> None:
        self.words(self.spoken, number, final=False)

    def do_final(self, number: int) -> None:
        self.words(self.all, number, final=True)

    def do_late_words(self, number: int) -> None:
        self.words(self.all, number, final=False)

    def do_speaker(self, number: int) -> None:
        if self.all:
            self.step(
                e.SpeakerKnown(self.t * MS, self.all[number % len(self.all)], "q", (True, False)[number % 2])
            )

    def do_text(self, number: int) -> None:
        for start in list(self.open.values()):
            self.step(e.AnswerText(self.t * MS, start.id, start.generation, ANSWER))

    def do_done(self, number: int) -> None:
        for start in list(self.open.values()):
            self.open.pop(start.id)
            self.step(e.AnswerDone(self.t * MS, start.id, start.generation))

    def do_fail(self, number: int) -> None:
        for start in list(self.open.values()):
            self.open.pop(start.id)
            self.step(e.AnswerDone(self.t * MS, start.id, start.generation, error="broken"))

    def do_tool(self, number: int) -> None:
        for start in list(self.open.values()):
            self.count += 1
            call = ToolCall(f"call-{self.count}", ("look", "slow", "fragile", "nothing")[number % 4], {})
            self.step(e.AnswerTool(self.t * MS, start.id, start.generation, call))

    def do_returned(self, number: int) -> None:
        if self.tools:
            tool = self.tools.pop(sorted(self.tools)[number % len(self.tools)])
            self.step(
                e.ToolReturned(self.t * MS, tool.id, tool.generation, ToolResult(tool.call.id, value=1))
            )

    def do_render(self, number: int) -> None:
        if self.clauses:
            clause = self.clauses.pop(number % len(self.clauses))
            size = len(clause.text)
            self.made[clause.item] = self.made.get(clause.item, 0) + size * MS_A_CHAR
            self.step(
                e.Rendered(self.t * MS, clause.id, clause.generation, size * MS_A_CHAR, size, last=True)
            )

    def do_play(self, number: int) -> None:
        if self.playing is not None and not self.paused:
            made = self.made.get(self.playing, 0)
            self.played[self.playing] = min(made, self.played.get(self.playing, 0) + 50 * (number + 1))
            self.step(e.Played(self.t * MS, self.playing, self.played[self.playing]))

    def do_typed(self, number: int) -> None:
        self.count += 1
        self.owed.append(f"typed {self.count}.")
        self.step(e.Typed(self.t * MS, self.owed[-1]))

    def do_background(self, number: int) -> None:
        self.count += 1
        self.owed.append(f"told {self.count}.")
        self.step(e.Background(self.t * MS, "job", self.owed[-1]))

    def do_cancel(self, number: int) -> None:
        self.step(e.Cancelled(self.t * MS))

    def do_asked(self, number: int) -> None:
        self.step(e.Asked(self.t * MS))

    def do_left(self, number: int) -> None:
        self.away = True
        self.step(e.Left(self.t * MS))

    def do_came_back(self, number: int) -> None:
        """Some of what was sent last, and taken for played, has not arrived."""
        item, got = self.playing, None
        if item is not None and number % 2:
            got = self.played[item] = max(0, self.played.get(item, 0) - 40 * number)
        self.away = False
        self.step(e.CameBack(self.t * MS, item, got))

    def do_restart(self, number: int) -> None:
        """The process dies, and another one goes on with what was written down; words that are on their way are lost."""
        written = msgspec.json.encode(kept(self.engine))
        before = [message for message in self.engine.messages() if message.role != "user" or message.text]
        self.engine = Engine(self.settings, self.engine.policy)
        restore(self.engine, msgspec.json.decode(written, type=Kept))
        assert list(self.engine.messages()) == before
        self.open, self.clauses, self.spoken, self.all = {}, [], [], []
        self.playing, self.paused, self.away = None, False, False
        self.step(e.CameBack(self.t * MS))

    def do_score(self, number: int) -> None:
        """The model's choice, for whom asks for it."""
        if self.all:
            name = SCORE + (*CHOICES, UNINTELLIGIBLE)[number % (len(CHOICES) + 1)]
            self.step(e.Score(self.t * MS, name, 1.0, self.all[number % len(self.all)]))

    def do_stale(self, number: int) -> None:
        self.step(
            e.AnswerText(self.t * MS, "answer-1", number, "nobody wants this"),
            e.Rendered(self.t * MS, "item-1.0", number, 500, 5),
            e.Played(self.t * MS, "item-999", 500),
            e.ToolReturned(self.t * MS, "tool-999", number, ToolResult("x")),
        )

    def gives_the_word_back(self) -> None:
        """Whatever was agreed on before: the agent may talk again."""
        self.t += 5000
        us = self.t * MS
        self.step(e.SpeechStarted(us, "last", us, speaker="True", enrolled=True))
        self.step(
            e.SpeechStopped(us, "last", us), e.Words(us, "last", "You can talk again now.", us, final=True)
        )

    def settle(self) -> None:
        """Let everybody finish: then nothing may be left undone."""
        self.do_came_back(0)
        for name in list(self.spoken):
            self.step(e.SpeechStopped(self.t * MS, name, self.t * MS))
        self.spoken = []
        for name in self.all:
            self.step(e.Words(self.t * MS, name, "the whole of it", self.t * MS, final=True))
        self.gives_the_word_back()
        for _ in range(400):
            self.t += 500
            for number, action in enumerate(
                ("text", "done", "render", "render", "render", "play", "returned")
            ):
                self.do(action, 100 + number if action == "play" else 0)
            self.step()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(["default", "always-answer", "never-answer", "semantic"]),
    st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 30), st.integers(0, 900)), max_size=50),
)
def test_no_order_of_events_loses_an_answer_speaks_twice_or_claims_what_nobody_heard(
    policy: str, actions: list[tuple[str, int, int]]
):
    world = World(policy)
    for action, number, later in actions:
        world.t += later
        world.do(action, number)
    world.settle()
    answers = world.engine.answers
    assert (list(answers.replies.queue), answers.replies.now) == ([], None)
    assert world.owed == []
