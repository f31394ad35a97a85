from __future__ import annotations

from antiphon.partner.live import Line, Piece, spoken
from antiphon.realtime.events import SpeechStarted, SpeechStopped, Words
from antiphon.realtime.simulation.oracle import Oracle

LINE = Line("l", "Sam", True, "en", (Piece("one two", 500_000), Piece("three")), "begin", 0)


def test_perfect_ears_tell_edges_speaker_and_words_with_their_delays():
    begin = 1_000_000
    stretches = spoken(LINE)
    one = stretches[0].words[0].end_us
    two = stretches[0].words[1].end_us
    heard = Oracle().hears(LINE, stretches, begin)
    assert heard[:4] == [
        SpeechStarted(begin + 80_000, "l", begin, speaker="Sam", enrolled=True),
        SpeechStopped(begin + two + 200_000, "l", begin + two),
        Words(begin + one + 300_000, "l", "one", begin + one),
        Words(begin + two + 300_000, "l", "one two", begin + two, final=True),
    ]
    assert isinstance(heard[4], SpeechStarted)
    assert (heard[4].utterance, heard[4].onset_us) == ("l.1", begin + stretches[1].start_us)


def test_observations_never_say_what_to_do():
    names = {name for each in Oracle().hears(LINE, spoken(LINE), 0) for name in each.__dataclass_fields__}
    assert names == {
        "t_us", "utterance", "onset_us", "offset_us", "track", "speaker", "enrolled", "level_db", "text", "end_us", "final",
    }  # fmt: skip


def test_noisy_ears_err_at_their_rate_and_alike_for_one_seed():
    lines = [
        Line(f"l{n}", "Sam", True, "en", (Piece("one two three four five"),), "begin", 0) for n in range(200)
    ]
    noisy = Oracle(error=0.1, seed=3)
    heard = [noisy.hears(line, spoken(line), 0) for line in lines]
    assert heard == [Oracle(error=0.1, seed=3).hears(line, spoken(line), 0) for line in lines]
    mistaken = sum(
        not each.enrolled for inputs in heard for each in inputs if isinstance(each, SpeechStarted)
    )
    lost = sum(
        5 - len(each.text.split())
        for inputs in heard
        for each in inputs
        if isinstance(each, Words) and each.final
    )
    assert 8 <= mistaken <= 35
    assert 60 <= lost <= 140
