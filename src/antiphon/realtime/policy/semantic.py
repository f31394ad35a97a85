"""The model's own choice: what the session's chat model says speech is, where it says so in time; else the rules.

Who asks the model is `choosing`. Here its answer is a score by the name of the choice, and the policy stays a pure
function: a choice that comes late, or that is none, leaves the decision to the rules, and the reason says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.turn_policy import Decision

if TYPE_CHECKING:
    from antiphon.realtime.events import Floor
    from antiphon.realtime.turn_policy import Observation, TurnPolicy, TurnState

CHOICES = ("answer", "acknowledge", "others", "stop", "wait", "continue")
UNINTELLIGIBLE = "none"
SCORE = "semantic."  # the score's name is this and the choice


@dataclass(frozen=True, slots=True)
class BySemantics:
    """The rules move the floor while words come and say when a turn is over; what it then is, the model says.

    The rules keep whom is served, agreements, and what is over without words. `patience_us` counts from the end
    of speech.
    """

    otherwise: TurnPolicy = field(default_factory=ByRules)
    name: str = "semantic"
    patience_us: int = 2_000_000

    def decide(self, seen: Observation, state: TurnState) -> Decision:
        ruled = self.otherwise.decide(seen, state)
        latest = seen.latest
        if not (ruled.settled and latest.final and seen.text) or latest.offset_us is None:
            return ruled
        if latest.enrolled is False or state.agreement is not None or ruled.agreement is not None:
            return ruled
        chosen = next((name for name in (*CHOICES, UNINTELLIGIBLE) if SCORE + name in seen.scores), None)
        if chosen is None:
            due_us = latest.offset_us + self.patience_us
            if seen.now_us < due_us:
                return Decision(_meanwhile(ruled, state), "NONE", "waiting for the model's choice", settled=False, ask_again_us=due_us)  # fmt: skip
            return replace(ruled, reason=f"{ruled.reason} (rules: the model did not choose in time)")
        if chosen == UNINTELLIGIBLE:
            return replace(ruled, reason=f"{ruled.reason} (rules: the model's choice was unintelligible)")
        return _chosen(chosen, state)


def _meanwhile(ruled: Decision, state: TurnState) -> Floor:
    """While the model chooses, speech that was going on is as the rules have it; a silent agent listens."""
    if state.stage in ("speaking", "paused"):
        return "STOP" if ruled.floor in ("STOP", "LISTEN") else ruled.floor
    return "LISTEN"


def _chosen(choice: str, state: TurnState) -> Decision:
    audible = state.stage in ("speaking", "paused")
    goes_on = audible or state.cut or state.rest
    reason = f"the model chose {choice}"
    if choice == "answer" or (choice == "continue" and not goes_on):
        return Decision("STOP" if audible else "SPEAK", "ANSWER", reason)
    if choice == "stop":
        return Decision("STOP", "NONE", reason)
    if choice == "wait":
        return Decision("STOP" if audible else "LISTEN", "NONE", reason)
    goes_on = goes_on and (audible or state.cut or choice == "continue")
    return Decision("RESUME" if goes_on else "LISTEN", "NONE", reason, aside=choice == "others")
