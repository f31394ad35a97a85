from __future__ import annotations

import pytest

from antiphon.bench.create.gauges import Gauges, Measure, open_gauges
from antiphon.clock import RealClock
from antiphon.errors import ConfigError
from antiphon.models.ports import Invalid
from antiphon.models.scripted_sound import tone
from tests.bench.create.studio import Scorer

CLIP = tone("好", 0.1, 16_000)
FIVE = {"生气/angry": 0.1, "开心/happy": 0.7, "中立/neutral": 0.1, "难过/sad": 0.05, "吃惊/surprised": 0.05}


async def test_numbers_are_taken_by_the_names_of_their_columns():
    gauges = Gauges(Scorer(other=1.0, utmos22=3.6), Scorer(**FIVE, **{"<unk>": 0.0}))
    assert await gauges.naturalness(CLIP) == Measure(3.6)
    assert (await gauges.emotions(CLIP))["happy"] == Measure(0.7)
    assert gauges.names["UTMOS"] == "fake scorer of other, utmos22"


async def test_what_is_not_here_says_so_and_is_no_number():
    assert await Gauges().naturalness(CLIP) == Measure(None, "no UTMOS was given (--scorer URI)")
    assert set((await Gauges().emotions(CLIP)).values()) == {
        Measure(None, "no scorer of speech emotion was given (--scorer URI)")
    }


@pytest.mark.parametrize("value", [float("nan"), -0.1, 5.1])
async def test_an_impossible_number_is_none(value: float):
    found = await Gauges(Scorer(utmos=value)).naturalness(CLIP)
    assert (found.value, found.why.startswith("utmos ")) == (None, True)


async def test_a_scale_that_is_no_probability_is_none():
    found = await Gauges(None, Scorer(**dict.fromkeys(FIVE, 3.0))).emotions(CLIP)
    assert found["sad"] == Measure(None, "难过/sad 3.0 is no number from 0 to 1")


async def test_a_clip_that_cannot_be_scored_says_why():
    class Refusing(Scorer):
        async def score(self, clips):
            return [Invalid("too short") for _ in clips]

    assert await Gauges(Refusing(utmos=1.0)).naturalness(CLIP) == Measure(None, "too short")


def test_scorers_find_their_place_by_what_they_name():
    gauges = open_gauges(
        ["scripted:?names=utmos", "scripted:?names=angry,happy,neutral,sad,surprised"], RealClock()
    )
    assert gauges.names == {
        "UTMOS": "scripted:scorer utmos",
        "speech emotion": "scripted:scorer angry,happy,neutral,sad,surprised",
    }


def test_another_mos_never_stands_in_for_utmos():
    with pytest.raises(ConfigError, match=r"gives distillmos: neither UTMOS .* nothing stands in for them"):
        open_gauges(["scripted:?names=distillmos"], RealClock())
    with pytest.raises(ConfigError, match="gives utmosv2: neither"):
        open_gauges(["scripted:?names=utmosv2"], RealClock())


def test_two_of_a_kind_are_refused():
    with pytest.raises(ConfigError, match="there is one of its kind already"):
        open_gauges(["scripted:?names=utmos", "scripted:?names=utmos22"], RealClock())
