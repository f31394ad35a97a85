from __future__ import annotations

from antiphon.partner.live import Line, Piece
from antiphon.realtime.sets.heard import heard
from antiphon.realtime.settings import Settings
from antiphon.realtime.simulation.simulate import Performed, Session


def _done(language: str, lines: dict[str, str], heard: dict[str, tuple[tuple[str, ...], str]]) -> Performed:
    said = tuple(Line(name, "Sam", True, language, (Piece(text),), "next", 0) for name, text in lines.items())
    done = Performed(Session("s", language, said, Settings(), {"": ""}))
    done.spans = dict.fromkeys(lines, (0, 1))
    done.heard = heard
    return done


def test_words_and_characters_are_counted_against_what_was_said():
    english = _done(
        "en", {"a": "Don't go, Tom.", "b": "Never mind."},
        {"a": (("a",), "dont go time"), "b": (("b",), "Never mind")},
    )  # fmt: skip
    mandarin = _done("zh", {"a": "坐高铁去杭州。"}, {"a": (("a",), "座高鐵去行州")})
    found = heard([english, mandarin])
    assert found["error_rate"] == {
        "en": {"rate": 0.2, "errors": 1, "n": 5}, "zh": {"rate": 0.3333, "errors": 2, "n": 6},
    }  # fmt: skip
    assert {name: found[name] for name in ("lines", "utterances", "missed", "cut", "joined", "noise")} == {
        "lines": 3, "utterances": 3, "missed": 0, "cut": 0, "joined": 0, "noise": 0,
    }  # fmt: skip


def test_lines_cut_joined_missed_and_noise_are_told_apart_and_a_cut_is_no_error():
    done = _done(
        "en", {"a": "one two three", "b": "four", "c": "five", "d": "six", "left": "out"},
        {
            "a": (("a",), "one two"), "a.1": (("a",), "three"), "b": (("b", "c"), "four five"),
            "noise": ((), "thank you"),
        },
    )  # fmt: skip
    done.spans["left"] = None
    found = heard([done])
    assert found == {
        "lines": 4, "utterances": 4, "missed": 1, "cut": 1, "joined": 1, "noise": 1,
        "error_rate": {"en": {"rate": 0.0, "errors": 0, "n": 5}, "zh": {"rate": None, "errors": 0, "n": 0}},
    }  # fmt: skip
