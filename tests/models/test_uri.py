from __future__ import annotations

import pytest

from antiphon.errors import ConfigError
from antiphon.models.uri import Uri, parse


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("cascade:", ("cascade", "", {}, "")),
        ("whisper:base?beam=5&vad=", ("whisper", "base", {"beam": "5", "vad": ""}, "")),
        ("scripted:/tmp/a%20b.jsonl", ("scripted", "/tmp/a b.jsonl", {}, "")),
        (
            "openai+http://h:8000/v1?voice=a%26b#org/m",
            ("openai+http", "//h:8000/v1", {"voice": "a&b"}, "org/m"),
        ),
        ("kokoro:?zh=小艺", ("kokoro", "", {"zh": "小艺"}, "")),
    ],
)
def test_a_name_is_taken_apart(text, parts):
    assert parse(text) == Uri(text, *parts)


@pytest.mark.parametrize("text", ["", "base", ":x", "1st:x"])
def test_a_name_without_scheme_is_refused(text):
    with pytest.raises(ConfigError, match="names no model: write SCHEME:PATH"):
        parse(text)


def test_an_option_given_twice_is_refused():
    with pytest.raises(ConfigError, match="an option is given twice"):
        parse("whisper:base?beam=1&beam=5")


def test_options_are_checked_when_read():
    uri = parse("whisper:tiny?beam=x&n=-3")
    assert uri.whole("n", 1) == -3
    assert uri.whole("absent", 4) == 4
    with pytest.raises(ConfigError, match="beam must be a whole number, not 'x'"):
        uri.whole("beam", 5)
    with pytest.raises(ConfigError, match="no option 'n'; whisper: takes beam"):
        uri.only("beam")
    assert uri.only("beam", "n") is uri


def test_a_path_is_one_of_its_choices():
    assert parse("whisper:").one_of({"base"}, "model", "base") == "base"
    with pytest.raises(ConfigError, match="no model 'tiny'; there are: base, small"):
        parse("whisper:tiny").one_of({"base", "small"}, "model", "base")
