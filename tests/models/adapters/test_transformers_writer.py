from __future__ import annotations

import threading

import numpy as np
import pytest

from antiphon.models.adapters.transformers_writer import StoppedError, Writer, only

END = 999


class Bytes:
    """A tokenizer whose tokens are the bytes of UTF-8; 999 ends a text."""

    all_special_ids = (END,)

    def decode(self, ids, **_):
        return bytes(token for token in ids if token != END).decode(errors="replace")

    def encode(self, text, **_):
        return list(text.encode())


class Flat(Writer):
    """Without torch: every token is as likely as the next."""

    def put(self, value):
        self._scores = np.full(1000, -1.5)
        super().put(value)


def written(*tokens: int, stopped: threading.Event | None = None) -> tuple[Writer, list[str]]:
    said: list[str] = []
    writer = Flat(Bytes(), said.append, stopped or threading.Event())
    writer.put(np.array([[7, 8]]))
    for token in tokens:
        writer.put(np.array([token]))
    writer.end()
    return writer, said


def test_a_character_is_said_when_its_last_byte_is_there():
    writer, said = written(*"你a".encode(), END)
    assert said == ["你", "a"]
    assert writer.tokens.prompt_ids == (7, 8)
    assert writer.tokens.completion_ids == (*"你a".encode(), END)
    assert writer.tokens.logprobs == (-1.5,) * 5
    assert (writer.spoke, writer.cut) == (True, False)


def test_half_a_character_at_the_end_is_shown_as_what_it_is():
    writer, said = written(*"你".encode()[:2])
    assert said == ["\ufffd"]
    assert writer.cut


def test_an_end_alone_says_nothing():
    writer, said = written(END)
    assert (said, writer.spoke, writer.cut) == ([], False, False)


def test_a_reader_that_went_away_stops_the_writing():
    gone = threading.Event()
    gone.set()
    with pytest.raises(StoppedError):
        written(65, stopped=gone)


def test_choices_allow_their_own_tokens_and_then_the_end():
    allowed = only(["no", "not"], Bytes(), END)
    prompt = [1, 2]
    steps = [allowed(0, [*prompt, *b"not"[:length]]) for length in range(4)]
    assert steps == [[ord("n")], [ord("o")], sorted([ord("t"), END]), [END]]
