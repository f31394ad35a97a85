"""Casting: which voices may speak a draft, in which order they are tried, and what nobody knows about them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.bench.create.gauges import CLEAN_ABOVE, PROMPT_ABOVE
from antiphon.ids import seed_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.bench.create.draft import Draft
    from antiphon.bench.create.voices import VoiceProfile

# Abilities that are spoken by the clean set, so that unclear words do not blur them (section 3.1).
CLEAN = frozenset({"knowledge", "reasoning", "creativity"})
STAGE = "voice"

# What a person who listened to a voice decides about it: fit for both sets, for chat only, for none.
HEARINGS = ("clean", "full", "never")


def cast(
    draft: Draft, profiles: Sequence[VoiceProfile], heard: Mapping[str, str], attempts: int, seed: int
) -> Draft:
    """The draft with the voices that its `attempts` try in turn, or blocked where none may speak it.

    Every draft has its own order of the voices, in which each keeps its place when another leaves; `take`
    goes on behind those that were tried.
    """
    fit = [voice for voice in profiles if _speaks(voice, draft) and not refusal(draft, voice, heard)]
    if not fit:
        reasons = {why for voice in profiles if (why := refusal(draft, voice, heard))}
        why = "; ".join(sorted(reasons)) or "none speaks its language"
        return draft.marked(STAGE, "blocked", f"no voice: {why}")
    order = sorted((voice.name for voice in fit), key=lambda name: seed_for(seed, "voice", draft.id, name))
    start = draft.take * (attempts + 1)
    return replace(draft, voices=tuple(order[(start + number) % len(order)] for number in range(attempts)))


def _speaks(voice: VoiceProfile, draft: Draft) -> bool:
    return voice.language in ("", draft.language)


def refusal(draft: Draft, voice: VoiceProfile, heard: Mapping[str, str]) -> str | None:
    """Why a voice may not speak a draft; None where it may, or where nobody knows that it may not."""
    hearing = heard.get(voice.name)
    if hearing == "never":
        return "a listener refused it"
    if draft.shape.ability in CLEAN:
        if hearing == "full":
            return "a listener found it not clean"
        if voice.mos is not None and voice.mos <= CLEAN_ABOVE:
            return f"UTMOS is not over {CLEAN_ABOVE}"
    if draft.emotion and voice.origin == "prompt":
        if voice.emotion != draft.emotion:
            return f"it is no {draft.emotion} prompt"
        if (felt := voice.emotions.get(draft.emotion)) is not None and felt <= PROMPT_ABOVE:
            return f"P({draft.emotion}) is not over {PROMPT_ABOVE}"
    return None


def doubts(draft: Draft, voice: VoiceProfile, heard: Mapping[str, str]) -> list[str]:
    """What the paper asks of the voice that spoke a draft and nobody has found out."""
    found: list[str] = []
    if draft.shape.ability in CLEAN:
        if voice.mos is None:
            found.append(f"UTMOS of voice {voice.name or 'default'} not measured: {voice.mos_why}")
        if heard.get(voice.name) != "clean":
            found.append(f"voice {voice.name or 'default'} not listened to")
    if draft.emotion:
        if voice.origin == "preset":
            found.append(
                f"preset voice {voice.name or 'default'} instead of a prompt that sounds {draft.emotion}"
            )
        elif draft.emotion not in voice.emotions:
            found.append(f"P({draft.emotion}) of the prompt not measured: {voice.emotions_why}")
    return found
