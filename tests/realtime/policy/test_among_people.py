from __future__ import annotations

from antiphon.realtime.policy.among_people import AMONG_PEOPLE
from antiphon.realtime.policy.cues import tokens
from antiphon.realtime.sets.phrases import LANGUAGES, ours


def test_every_form_has_its_own_name_and_speaks_for_somebody_else():
    assert len({what for what, _, _ in AMONG_PEOPLE}) == len(AMONG_PEOPLE)
    assert [what for what, weight, _ in AMONG_PEOPLE if not 0 < weight <= 3.5] == []


def test_no_utterance_of_the_sets_is_written_in_a_form():
    forms = [" ".join(tokens(form.pattern)) for _, _, form in AMONG_PEOPLE]
    for language in LANGUAGES:
        for sort in ("asides", "closings", "visitor_answers", "other_replies"):
            spoken = [" ".join(tokens(text.replace("{name}", ""))) for text in ours(language)[sort]]
            assert [text for text in spoken if any(f" {text} " in f" {form} " for form in forms)] == []


def test_people_speak_so():
    def shown(text: str) -> set[str]:
        return {what for what, _, form in AMONG_PEOPLE if form.search(text)}

    assert shown("You two, mind the wet paint!") == {"speaks to several", "minds somebody's steps"}
    assert shown("Mind the wet paint!") == {"minds somebody's steps"}
    assert shown("I'm on the phone with my sister") == {"speaks of a call", "speaks of somebody they know"}
    assert shown("你们俩小心一点") == {"speaks to several", "minds somebody's steps"}
    assert shown("Which one is cheaper?") == shown("哪个便宜？") == set()
