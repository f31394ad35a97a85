from __future__ import annotations

from antiphon.realtime.sets.phrases import LANGUAGES, ours
from antiphon.realtime.sets.script import Script


def test_both_languages_have_the_same_sorts_of_phrases():
    en, zh = (set(ours(language)) for language in LANGUAGES)
    assert en == zh


def test_no_phrase_comes_twice_before_all_have_come():
    script = Script("s", 0, 0)
    count = len(ours("en")["backchannels"])
    assert len({script.draw("backchannels") for _ in range(count)}) == count
    assert script.draw("backchannels") in ours("en")["backchannels"]


def test_a_script_depends_on_its_seed_and_id_only():
    def words(seed: int, name: str) -> list[str]:
        script = Script(name, 0, seed)
        return [script.draw("asides") for _ in range(4)]

    assert words(0, "a") == words(0, "a")
    assert len({tuple(words(seed, name)) for seed in (0, 1) for name in ("a", "b")}) > 1


def test_names_are_filled_in():
    script = Script("s", 0, 0)
    script.say("{name} and {user} and {agent}", "begin", 0)
    assert script.done().session.lines[0].text == f"{script.other} and {script.user} and {script.agent}"
