"""The default turn policy: rules over who speaks, for how long, and what the words so far say of the floor.

It knows closed classes of words (`lexicon`), forms of speech and times; whom speech is for is weighed in `addressing`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antiphon.realtime.agreements import Agreement
from antiphon.realtime.policy import cues, terms
from antiphon.realtime.policy.acknowledging import opens_with_response, requests_beside_stopping
from antiphon.realtime.policy.addressing import for_others
from antiphon.realtime.policy.end_of_turn import heard_end
from antiphon.realtime.policy.together import amended, last_said, run
from antiphon.realtime.policy.vocatives import calls, to_listener
from antiphon.realtime.policy.words import Words
from antiphon.realtime.turn_policy import Decision, listen

if TYPE_CHECKING:
    from antiphon.realtime.events import Floor
    from antiphon.realtime.turn_policy import Observation, Ruled, TurnState


@dataclass(frozen=True, slots=True)
class ByRules:
    """Times in microseconds, counted from the end of speech where nothing else is said."""

    name: str = "default"
    far_db: float = -12.0  # speech that much quieter than the person's is somebody in the background
    brief_us: int = (
        1_000_000  # speech over the agent's that wants nothing and is no longer than this acknowledges
    )
    words_us: int = 1_000_000  # how long words are waited for
    question_us: int = 250_000
    sentence_us: int = 500_000
    unfinished_us: int = 2_500_000
    side_us: int = 10_000_000  # how long talk with somebody else is remembered as going on
    turning_us: int = (
        1_200_000  # a question sooner than this after somebody spoke is for them, other things equal
    )
    reply_us: int = 2_500_000  # how soon speech after somebody's question replies to it
    words: Words = field(default_factory=Words)

    def decide(self, seen: Observation, state: TurnState) -> Decision:
        stranger = self._stranger(seen, state)
        if stranger:
            return Decision(_go_on(state), "NONE", stranger)
        if state.agreement is not None:
            return self._agreed(seen, state, state.agreement)
        if seen.latest.overlapped and (state.stage != "idle" or state.cut):
            return self._overlap(seen, state)
        return self._turn(seen, state)

    def _stranger(self, seen: Observation, state: TurnState) -> str | None:
        latest = seen.latest
        if latest.enrolled is False and state.serves == "enrolled":
            return "another speaker"
        if latest.enrolled is None and latest.level_db is not None and latest.level_db <= self.far_db:
            return "speech in the background"
        return None

    # ---- while the agent speaks

    def _overlap(self, seen: Observation, state: TurnState) -> Decision:
        over = seen.latest.offset_us is not None
        if self._words_may_come(seen) and over and not seen.must_decide:
            return listen("waiting for words", self._words_by(seen))
        others = self._for_others(seen, state)
        if others:
            known = over and not self._words_may_come(seen)
            ask = self._words_by(seen) if over and not known else None
            return Decision("RESUME", "NONE", others, settled=known, ask_again_us=ask, aside=True)
        if over and self.words.acknowledges(seen.text):
            return self._brief(seen, state)
        if self.words.stops(seen.text) or self.words.holds(seen.text) or cues.wants(seen.text):
            return self._interrupted(seen, state, "takes the floor")
        if calls(seen.text, state.names):
            return self._interrupted(seen, state, "calls the agent")
        if over:
            return self._brief(seen, state)
        if seen.text and self.words.acknowledges(seen.text):
            return _unless_due(seen, "RESUME", "acknowledges so far")
        if len(cues.tokens(seen.text)) > 3:
            return self._interrupted(seen, state, "says more than an acknowledgement")
        return _unless_due(seen, "STOP", "goes on speaking")

    def _brief(self, seen: Observation, state: TurnState) -> Decision:
        """Speech over the agent's that is over and takes nothing in words."""
        latest = seen.latest
        assert latest.offset_us is not None
        brief = latest.offset_us - latest.onset_us <= self.brief_us
        settled = latest.final or seen.now_us >= self._words_by(seen)
        if not seen.text:
            if brief:
                ask = None if settled else self._words_by(seen)
                return Decision("RESUME", "NONE", "a short sound", settled=settled, ask_again_us=ask)
            return self._interrupted(seen, state, "speaks over the agent")
        few = len(cues.tokens(seen.text)) <= 4
        if self.words.acknowledges(seen.text) or (
            few and (brief or opens_with_response(seen.text)) and self.words.may_acknowledge(seen.text)
        ):
            return Decision(
                "RESUME", "NONE", "acknowledges", settled=settled, ask_again_us=self._words_by(seen)
            )
        return self._interrupted(seen, state, "says more than an acknowledgement")

    def _interrupted(self, seen: Observation, state: TurnState, why: str) -> Decision:
        """Yield now; whether to answer is known at the end of what is said."""
        if seen.latest.offset_us is None or self._words_may_come(seen):
            ask = None if seen.latest.offset_us is None else self._words_by(seen)
            return Decision("STOP", "NONE", why, settled=False, ask_again_us=ask)
        decision = self._turn(seen, state)
        floor: Floor = "STOP" if decision.floor in ("LISTEN", "SPEAK") else decision.floor
        return Decision(
            floor, decision.answer, decision.reason, decision.settled, decision.ask_again_us,
            decision.agreement, decision.release,
        )  # fmt: skip

    # ---- while the agent is silent, or about to speak

    def _turn(self, seen: Observation, state: TurnState) -> Decision:
        offset_us = seen.latest.offset_us
        if offset_us is None:
            return listen("somebody is speaking")
        if self._words_may_come(seen):
            return listen("waiting for words", self._words_by(seen))
        if not seen.text:
            return Decision(_go_on(state), "NONE", "no words")
        command = self._command(seen, state)
        if command:
            return command
        if state.stage == "thinking" and self.words.acknowledges(seen.latest.text):
            return Decision("RESUME", "NONE", "acknowledges")
        pause_us, why = heard_end(*self._pause(seen.latest.text), seen.scores)
        if seen.now_us < offset_us + pause_us:
            return listen(why, offset_us + pause_us)
        return Decision("SPEAK", "ANSWER", why)

    def _command(self, seen: Observation, state: TurnState) -> Decision | None:
        """What is about the floor, or for somebody else, and so gets no answer."""
        text = seen.text
        others = self._for_others(seen, state)
        if others:
            return Decision(_go_on(state), "NONE", others, aside=True)
        length = len(cues.tokens(text))
        over_speech = seen.latest.overlapped or state.stage != "idle"
        if over_speech and length <= 10 and self.words.stops(text) and not requests_beside_stopping(text):
            return Decision("STOP", "NONE", "asked to stop")
        agreed = self.words.terms(text, state.names)
        if agreed is not None:
            made = Agreement(agreed.kind, agreed.signals, text)
            return Decision("LISTEN", "NONE", f"agrees to be silent ({agreed.kind})", agreement=made)
        if state.rest and self.words.goes_on(text):
            return Decision("RESUME", "NONE", "asked to go on")
        if cues.holds_politely(text):
            return Decision("LISTEN", "NONE", "asked for a moment")
        if cues.asks(text):
            return None
        if self.words.stops(text) and not any(
            cues.wants(part) and not self.words.stops(part) for part in cues.clauses(text)
        ):
            silence = Agreement("silence", said=text)
            return Decision("LISTEN", "NONE", "agrees to be silent (silence)", agreement=silence)
        if self.words.holds(text) and length <= 12 and not cues.wants_beside_holding(text):
            return Decision("LISTEN", "NONE", "asked for a moment")
        return None

    def _pause(self, text: str) -> tuple[int, str]:
        if cues.trails(text):
            return self.unfinished_us, "the sentence is not finished"
        if cues.asks(text):
            return self.question_us, "a finished question"
        return self.sentence_us, "a finished turn"

    # ---- while an agreement holds

    def _agreed(self, seen: Observation, state: TurnState, agreement: Agreement) -> Decision:
        latest = seen.latest
        if latest.offset_us is None or self._words_may_come(seen):
            ask = None if latest.offset_us is None else self._words_by(seen)
            return listen("an agreement holds", ask)
        if (made := amended(seen, state)) is not None:
            return Decision("LISTEN", "NONE", "the agreement, said in full", agreement=made)
        return self._ends(seen, state, agreement)

    def _ends(self, seen: Observation, state: TurnState, agreement: Agreement) -> Decision:
        """Whether the words end the agreement, or make another."""
        text = last_said(seen.group)
        if state.rest and self.words.goes_on(text):
            return Decision("RESUME", "NONE", "asked to go on", release=True)
        if self.words.gives_back(text):
            return Decision("SPEAK", "ANSWER", "given the word back", release=True)
        if agreement.kind == "called" and calls(text, state.names):
            return Decision("SPEAK", "ANSWER", "called, as agreed")
        if agreement.kind != "called" and terms.gives(text, agreement.signals, agreement.said):
            return Decision("SPEAK", "ANSWER", "the agreed signal", release=True)
        others = self._for_others(seen, state)
        if others:
            return Decision("LISTEN", "NONE", others, aside=True)
        if terms.invites(text) and (agreement.kind == "silence" or "done" in agreement.signals):
            return Decision("SPEAK", "ANSWER", "asked for its view", release=True)
        if agreement.kind == "silence" and cues.wants(text) and to_listener(text, state.names):
            return Decision("SPEAK", "ANSWER", "asked directly", release=True)
        made = self.words.terms(text, state.names)
        if made is not None:
            return Decision(
                "LISTEN", "NONE", "a new agreement", agreement=Agreement(made.kind, made.signals, text)
            )
        return listen(f"agreed to be silent ({agreement.kind})")

    # ---- for whom

    def _for_others(self, seen: Observation, state: TurnState) -> str | None:
        """Why this is for somebody else; None where it is for the agent as far as the words tell."""
        if not seen.text or calls(seen.text, state.names):
            return None
        return for_others(seen, state, self.words) or self._beside(seen, state)

    def _beside(self, seen: Observation, state: TurnState) -> str | None:
        """Talk with somebody else goes on unless the words lead back to the agent."""
        onset_us = seen.group[0].onset_us
        beside = [
            each
            for each in seen.recent
            if not each.addressed
            and onset_us - self.side_us <= _ended(each)
            and each.utterance.onset_us < onset_us
        ]
        if not beside or not self._open(beside, onset_us):
            return None
        if not cues.asks(seen.text):
            open_talk = _asked(beside) or _begun(beside)
            return "answers somebody else" if open_talk or not cues.wants(seen.text) else None
        with_agent = cues.content(" ".join([state.agent_text, *_texts(seen.recent, addressed=True)]))
        with_others = cues.content(" ".join(_texts(tuple(beside), addressed=False)))
        about = cues.content(seen.text)
        to_agent, to_others = len(about & with_agent), len(about & with_others)
        soon = onset_us - _ended(beside[-1]) < self.turning_us
        if to_others > to_agent or (to_others == to_agent and soon):
            return "asks somebody else"
        return None

    def _open(self, beside: list[Ruled], onset_us: int) -> bool:
        """Whether talk with somebody else is going on: the person began it, was just asked, or just told something
        while the agent was silent."""
        last = beside[-1].utterance
        replied = last.enrolled is False and onset_us - _ended(beside[-1]) <= self.reply_us
        return replied and (_asked(beside) or not last.overlapped or _begun(beside))

    # ---- words

    def _words_may_come(self, seen: Observation) -> bool:
        return not seen.latest.final and seen.now_us < self._words_by(seen)

    def _words_by(self, seen: Observation) -> int:
        latest = seen.latest
        return (latest.offset_us if latest.offset_us is not None else seen.now_us) + self.words_us


def _go_on(state: TurnState) -> Floor:
    """The floor when nothing that was heard concerns the agent: what was cut for it goes on."""
    if state.stage == "speaking":
        return "SPEAK"
    return "LISTEN" if state.stage == "idle" and not state.cut else "RESUME"


def _texts(ruled: tuple[Ruled, ...], *, addressed: bool) -> list[str]:
    return [each.utterance.text for each in ruled if each.addressed is addressed]


def _unless_due(seen: Observation, floor: Floor, why: str) -> Decision:
    if seen.must_decide:
        return Decision(floor, "NONE", why, settled=False)
    return listen(why)


def _asked(beside: list[Ruled]) -> bool:
    """Whether somebody else asked something, in one sentence or in parts of one."""
    return any(cues.asks(each.text) for each in run([each.utterance for each in beside]))


def _begun(beside: list[Ruled]) -> bool:
    """Whether the person spoke to somebody else first."""
    return any(each.aside and each.utterance.enrolled is not False for each in beside)


def _ended(ruled: Ruled) -> int:
    utterance = ruled.utterance
    return utterance.offset_us if utterance.offset_us is not None else utterance.onset_us
