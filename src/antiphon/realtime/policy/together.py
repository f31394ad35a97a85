"""What was said in one breath, though a detector cut it in two: utterances of one speaker with hardly a pause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.realtime.agreements import Agreement
from antiphon.realtime.policy import terms
from antiphon.realtime.turn_policy import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.realtime.turn_policy import Observation, TurnState, Utterance

# A pause within a sentence. From then on, what is said is another one.
BREATH_US = 900_000


def last_said(group: Sequence[Utterance]) -> str:
    """The words of the latest utterance, and of those before it without a pause that ends a sentence."""
    return joined(each.text for each in run(group))


def run(spoken: Sequence[Utterance]) -> tuple[Utterance, ...]:
    """The last utterances of one speaker, each soon after the one before. At least the latest, where there is one."""
    found = list(spoken[-1:])
    for each in reversed(spoken[:-1]):
        if each.speaker != found[0].speaker or not _soon(each, found[0]):
            break
        found.insert(0, each)
    return tuple(found)


def _soon(before: Utterance, after: Utterance) -> bool:
    return before.offset_us is not None and 0 <= after.onset_us - before.offset_us <= BREATH_US


def amended(seen: Observation, state: TurnState) -> Agreement | None:
    """The agreement in force as its whole sentence has it, where the latest words go on with it; None where they
    do not, or change nothing."""
    made = state.agreement
    if made is None or not seen.latest.text.strip():
        return None
    words = run(seen.group)
    before = [each.utterance for each in seen.recent if _soon(each.utterance, words[0])]
    if not any(each.text and made.said.endswith(each.text) for each in before):
        return None
    said = joined((made.said, last_said(seen.group)))
    found = terms.terms(said, state.names)
    if found is None or (found.kind, found.signals) == (made.kind, made.signals):
        return None
    return Agreement(found.kind, found.signals, said)
