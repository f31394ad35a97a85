"""What words do: by their forms where a form is known, else by what was learned of such lines (`realtime/acts`).

A form decides unless the classifier is sure of the contrary; where no form says anything, it must be sure by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.realtime.acts import stored
from antiphon.realtime.policy import cues, terms
from antiphon.realtime.policy.acknowledging import responds
from antiphon.realtime.policy.terms import Terms
from antiphon.realtime.policy.vocatives import addressee

if TYPE_CHECKING:
    from antiphon.realtime.acts.classifier import ActClassifier
    from antiphon.realtime.agreements import AgreementKind

SURE = 0.8
LIKELY = 0.5
KINDS: tuple[AgreementKind, ...] = ("silence", "signal", "called")
UNLIKELY = 0.2
_FEW = 4
_LONGEST = 10  # words of an acknowledgement, or of an order about the floor


@dataclass(frozen=True, slots=True)
class Words:
    """Forms of speech, and a classifier of dialogue acts; None: the one that ships with the package."""

    acts: ActClassifier | None = None

    def odds(self, text: str) -> dict[str, float]:
        return (self.acts or stored.ours()).odds(text, addressee(text))

    def for_others(self, text: str) -> float:
        """The log-odds that it is for somebody else."""
        return (self.acts or stored.ours()).log_odds("others", _marked(text), addressee(text))

    def acknowledges(self, text: str) -> bool:
        odds = self.odds(text)
        if responds(text):
            return odds["request"] < LIKELY
        if cues.wants(text) or len(cues.tokens(text)) > _LONGEST:
            return False
        return max(odds, key=odds.__getitem__) == "acknowledge"

    def may_acknowledge(self, text: str) -> bool:
        """Whether a few words may be an acknowledgement that no form and no line has: they are no likelier to want
        something."""
        odds = self.odds(text)
        return odds["request"] < 2 * odds["acknowledge"]

    def stops(self, text: str) -> bool:
        return cues.stops(text) or self._orders(text, "stop")

    def holds(self, text: str) -> bool:
        """Whether it asks for a moment. "Hang on, they closed that road" says "hang on" and asks for none."""
        odds = self.odds(text)
        if cues.holds(text):
            few = len(cues.tokens(text)) <= _FEW
            return few or odds["wait"] > UNLIKELY or odds["request"] < odds["others"]
        return self._orders(text, "wait")

    def goes_on(self, text: str) -> bool:
        return cues.continues(text) or self._orders(text, "go_on")

    def gives_back(self, text: str) -> bool:
        """Whether the agent, asked for silence, may talk again."""
        return terms.allows(text) or self._orders(text, "release")

    def terms(self, text: str, names: tuple[str, ...]) -> Terms | None:
        """The agreement that it proposes."""
        odds = self.odds(text)
        agreed = sum(odds[kind] for kind in KINDS)
        found = terms.terms(text, names)
        if found is not None:
            return found if agreed > UNLIKELY or max(odds["request"], odds["others"]) < LIKELY else None
        if agreed < SURE:
            return None
        kind = max(KINDS, key=odds.__getitem__)
        ends = {"silence": (), "called": names, "signal": terms.signals(text)}
        return Terms(kind, ends[kind])

    def rules_the_floor(self, text: str) -> bool:
        """Whether its first few words, a clause of their own, surely stop the agent, let it go on, or ask for a
        moment."""
        first = next(iter(cues.clauses(text)), "")
        few = 0 < len(cues.tokens(first)) < _FEW
        return few and any(self._orders(first, act) for act in ("stop", "go_on", "wait"))

    def _orders(self, text: str, act: str) -> bool:
        return len(cues.tokens(text)) <= _LONGEST and self.odds(text)[act] > SURE


def _marked(text: str) -> str:
    """A question by its form with its mark, which recognisers leave out."""
    if cues.asks(text) and "?" not in text and "？" not in text:
        return f"{text.rstrip('.。 ')}?"
    return text


OURS = Words()
