"""The engine: inputs in, effects out. It reads no clock and does no input or output; the same inputs give the
same effects, whatever the steps they come in.

It composes reducers (`floor`; and in `answering` replies, playback, tools and history) and asks a turn policy.
An overlap is ruled within `Settings.yield_us`: first a soft pause, then resume or stop.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from antiphon.realtime import events
from antiphon.realtime.agreements import Agreements
from antiphon.realtime.engine.answering import Answering
from antiphon.realtime.engine.conversation import Told
from antiphon.realtime.engine.floor import Floor
from antiphon.realtime.engine.replies import Due
from antiphon.realtime.policy import cues
from antiphon.realtime.turn_policy import Decision, TurnState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.messages import Message
    from antiphon.realtime.engine.floor import Group, Speech
    from antiphon.realtime.events import Effect, Input
    from antiphon.realtime.settings import Settings
    from antiphon.realtime.turn_policy import TurnPolicy

_ROUNDS = 2  # the end of an agreement brings up what it held back


class Engine:
    """One session. `history` is what was said before it began."""

    def __init__(self, settings: Settings, policy: TurnPolicy, history: Sequence[Message] = ()) -> None:
        self.settings = settings
        self.policy = policy
        self.now_us = 0
        self.floor = Floor()
        self.agreements = Agreements()
        self.answers = Answering(settings, history)
        self.goes_on = False  # what was cut is said from the first step on (`kept`)
        self._wake_us: int | None = None
        self._logged: dict[str, tuple[events.Floor, events.Answer, str]] = {}
        self._told: set[str] = set()  # utterances whose beginning the client knows

    def step(self, now_us: int, inputs: Sequence[Input] = ()) -> list[Effect]:
        """Take what was observed until `now_us`; return what is to be done. Time never goes back."""
        out = self.answers.out = []
        if self.goes_on:
            self.goes_on = False
            self.answers.go_on()
        ordered = sorted(inputs, key=events.place)
        for t_us, together in groupby(ordered, key=lambda given: given.t_us):
            self._pass_time(t_us - 1)
            self._now(t_us)
            for given in together:
                self._take(given)
            self._settle()
        self._pass_time(now_us)
        self._now(now_us)
        wake_us = self._next_us()
        if wake_us is not None and wake_us != self._wake_us:
            out.append(events.WakeAt(wake_us))
        self._wake_us = wake_us
        return out

    def configure(self, settings: Settings) -> None:
        """Change the session between two steps: tools, permissions, names. Calls that run go on."""
        self.settings = self.answers.settings = self.answers.tools.settings = settings

    def messages(self) -> tuple[Message, ...]:
        """The history as it was heard until now."""
        return self.answers.conversation.messages()

    # ---- time

    def _now(self, t_us: int) -> None:
        self.now_us = self.answers.now_us = max(self.now_us, t_us)

    def _next_us(self) -> int | None:
        return self.floor.next_us(self.settings.yield_us, self.settings.longest_us)

    def _pass_time(self, until_us: int) -> None:
        """Do what falls due on the way, each at its own time."""
        while (due_us := self._next_us()) is not None and due_us <= until_us:
            self._now(due_us)
            self._settle()

    def _settle(self) -> None:
        """Ask the policy where something is new or due, then let answers move."""
        self.floor.expire(self.now_us, self.settings.longest_us)
        for _ in range(_ROUNDS):
            for group in self.floor.asked_now(self.now_us, self.settings.yield_us):
                if all(name in self.floor.pending for name in group):
                    self._consult(group)
        self.answers.advance(self._held)

    # ---- what came in

    def _take(self, given: Input) -> None:
        match given:
            case events.FrameIn():
                pass
            case events.Words() | events.Score() | events.SpeakerKnown():
                self._heard(given)
            case events.SpeechStarted() | events.SpeechStopped():
                self._heard(given)
            case events.AnswerText() | events.AnswerTool() | events.AnswerDone():
                self.answers.answered(given)
            case events.Rendered():
                self.answers.rendered(given)
            case events.Sent():
                self.answers.playback.sent(given)
            case events.Played():
                self.answers.played(given)
            case events.ToolReturned():
                self.answers.returned(given)
            case events.Left() | events.CameBack():
                self.answers.out += self.answers.playback.presence(given)
            case _:
                self._client(given)

    def _heard(self, given: Speech) -> None:
        """Speech. The client learns of its edges; while the agent speaks, only once an interruption is ruled."""
        audible = self.answers.playback.playing is not None
        self.floor.take(given, overlapped=audible)
        match given:
            case events.SpeechStarted() if not audible and given.enrolled is not False:
                self._tell_started(given.utterance)
            case events.SpeechStopped() if given.utterance in self._told:
                self.answers.out.append(events.Heard("stopped", given.utterance, given.offset_us))
            case events.Words() if given.utterance in self.floor.turns:
                turn = self.answers.conversation.turn(self.floor.turns[given.utterance])
                if turn is not None:
                    self.answers.amend(turn.item, self._text(turn.utterances))
            case _:
                pass

    def _tell_started(self, utterance: str) -> None:
        if utterance in self._told:
            return
        self._told.add(utterance)
        known = self.floor.utterances[utterance]
        self.answers.out.append(events.Heard("started", utterance, known.onset_us))
        if known.offset_us is not None:
            self.answers.out.append(events.Heard("stopped", utterance, known.offset_us))

    def _client(self, given: Input) -> None:
        match given:
            case events.Typed():
                item = self.answers.turn((), given.text, given.item)
                if given.answer:
                    self.answers.tools.answered(yes=cues.affirms(given.text))
                    self.answers.interrupt("interrupted")
                    self.answers.replies.owe(Due("typed", "the person wrote", item, given.request))
            case events.Asked():
                self._asked(given.request)
            case events.Cancelled():
                self.answers.cancel()
            case events.Truncated():
                self.answers.truncated(given)
            case events.Confirmed():
                self.answers.tools.pressed(given.call_id, granted=given.granted)
                verdict = "yes" if given.granted else "no"
                self.answers.tell(f"The person pressed {verdict} under the confirmation of {given.call_id}.")
                self.answers.replies.owe(Due("tool", f"the person pressed {verdict}"))
            case events.Background():
                self._told_of_work(given)
            case events.Noted():
                self.answers.conversation.entries.append(Told(given.message, given.item))
            case events.Forgotten():
                self.answers.conversation.forget(given.item)
            case _:
                pass

    def _told_of_work(self, given: events.Background) -> None:
        self.answers.tell(f"[{given.job}] {given.text}" if given.job else given.text)
        if given.speaks:
            why = f"job {given.job} has something to tell" if given.job else "the client wants it said"
            self.answers.replies.owe(Due("background", why))

    def _asked(self, request: str) -> None:
        """The client takes the turns: what was said until now is one."""
        due = Due("asked", "the client asks for an answer", request=request)
        undecided = [group for group in self.floor.groups() if group[-1] not in self.floor.turns]
        if undecided:
            self._apply(undecided[-1], Decision("SPEAK", "ANSWER", due.why), due)
        else:
            self.answers.replies.owe(due)

    # ---- the policy

    def _state(self, group: Group) -> TurnState:
        log = self.answers.playback.logs.get(self.answers.last_item or "")
        cut = self.answers.replies.cut
        return TurnState(
            stage=self.answers.stage,
            agent_text=log.text if log else "",
            agent_heard=log.heard if log else "",
            agent_ended_us=self.answers.ended_us,
            rest=cut is not None,
            cut=cut is not None and self.floor.cut_by(group) == cut.item,
            tools=len(self.answers.tools.running),
            agreement=self.agreements.now,
            names=self.settings.names,
            serves=self.settings.serves,
            capabilities=self.settings.capabilities,
        )

    def _consult(self, group: Group) -> None:
        overdue = self.floor.overdue(group, self.now_us, self.settings.yield_us)
        seen = self.floor.seen(group, self.now_us, must_decide=overdue)
        decision = self.policy.decide(seen, self._state(group))
        if overdue and decision.floor == "LISTEN" and not decision.settled:
            floor: events.Floor = "STOP" if seen.latest.offset_us is None else "RESUME"
            decision = Decision(
                floor, "NONE", "undecided for too long", settled=False, ask_again_us=decision.ask_again_us
            )
        self._apply(group, decision)
        if overdue:
            self.floor.ruled(group)

    def _apply(self, group: Group, decision: Decision, asked: Due | None = None) -> None:
        self._log(group, decision)
        self.agreements.apply(decision.agreement, released=decision.release)
        if decision.release:
            self.floor.ask_all()
        if not decision.settled:
            self.floor.note(group, decision, self.now_us)
            self._move(group, decision)
            return
        was = self.floor.turns.get(group[-1])
        turn = None
        if decision.answer == "ANSWER":
            turn = self._answer(group, was, asked)
        else:
            if was is not None:
                self.answers.withdraw(was)
            self._move(group, decision)
            self.answers.choose("silent", decision.reason, group[-1])
        self.floor.settle(group, decision, turn)

    def _log(self, group: Group, decision: Decision) -> None:
        what = (decision.floor, decision.answer, decision.reason)
        if self._logged.get(group[-1]) != what:
            self._logged[group[-1]] = what
            self.answers.out.append(events.Decided(self.now_us, *what, utterance=group[-1]))

    def _keeps_on(self) -> bool:
        """Whether the agent speaks, and nobody may interrupt it."""
        return not self.settings.yields and self.answers.stage in ("speaking", "paused")

    def _move(self, group: Group, decision: Decision) -> None:
        """The floor part of a decision that answers nothing (yet)."""
        stage, floor = self.answers.stage, decision.floor
        if self._keeps_on():
            self.floor.ruled(group)
        elif stage in ("speaking", "paused"):
            if floor == "STOP" or (floor == "LISTEN" and decision.settled):
                self._cut(group)
            elif floor == "LISTEN":
                if not self.floor.resumed(group):
                    self.answers.out += self.answers.playback.pause()
            else:
                self.floor.ruled(group)
                self.answers.out += self.answers.playback.resume()
        elif floor == "STOP" and decision.settled and stage == "thinking":
            self.answers.end("cancelled")
        elif floor == "RESUME" and stage == "idle":
            self.answers.go_on()

    def _cut(self, group: Group) -> None:
        for name in group:
            self._tell_started(name)
        item = self.answers.cut()
        self.floor.cut(group, item)

    # ---- turns

    def _text(self, utterances: Sequence[str]) -> str:
        return self.floor.seen(tuple(utterances), self.now_us, must_decide=False).text

    def _answer(self, group: Group, was: str | None, asked: Due | None) -> str:
        """The group is a turn that gets an answer, now or when the client asks; what it interrupts ends. The
        turn's item."""
        if was is not None:
            self.answers.again(was)
            return was
        for name in group:
            self._tell_started(name)
        if all(self.floor.utterances[name].enrolled is not False for name in group):
            self.answers.tools.answered(yes=cues.affirms(self._text(group)))
        before = self.answers.merge()
        if not self._keeps_on():
            self.answers.interrupt("interrupted")
        item = self.answers.turn((*before, *group), self._text((*before, *group)))
        for name in before:
            self.floor.turns[name] = item
        if asked is not None or self.settings.answers:
            due = asked or Due("turn", "the person's turn is over")
            self.answers.replies.owe(replace(due, kind="turn", turn=item))
        return item

    def _held(self, due: Due) -> bool:
        """Whether undecided speech, an agreement or an absence keeps this answer waiting."""
        if self.answers.playback.away:
            return True
        if self.agreements.now is not None:
            return due.kind in ("tool", "background") or self.floor.speaking()
        return self.floor.speaking() if due.kind in ("typed", "asked") else self.floor.blocked()
