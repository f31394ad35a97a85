from __future__ import annotations

import pytest

from antiphon.bench.metrics.emotions import FIVE, NO_SCORER, among_of, emotions, named
from antiphon.bench.suite import NoValue
from tests.bench.bench_evidence import spoken

# In the order of emotion2vec_plus_large's own token file.
EMOTION2VEC = {
    "生气/angry": 0.1, "厌恶/disgusted": 0.2, "恐惧/fearful": 0.1, "开心/happy": 0.2, "中立/neutral": 0.1,
    "其他/other": 0.1, "难过/sad": 0.05, "吃惊/surprised": 0.05, "<unk>": 0.1,
}  # fmt: skip


def test_nine_classes_become_five_by_name_and_sum_to_one() -> None:
    found = among_of(EMOTION2VEC)
    assert found == pytest.approx({"angry": 0.2, "happy": 0.4, "neutral": 0.2, "sad": 0.1, "surprised": 0.1})
    assert among_of(dict(reversed(EMOTION2VEC.items()))) == pytest.approx(found)


def test_six_classes_are_the_five_and_the_unknown() -> None:
    found = among_of(EMOTION2VEC, (*FIVE, "unknown"))
    assert isinstance(found, dict)
    assert found["unknown"] == pytest.approx(1 / 6)


def test_labels_in_two_languages_and_in_brackets_have_one_name() -> None:
    assert [named(label) for label in ("生气/angry", "Angry", "<unk>", "unknown")] == [
        "angry", "angry", "unknown", "unknown",
    ]  # fmt: skip


def test_a_class_that_is_not_named_is_no_zero() -> None:
    five_of_an_older_model = {"angry": 0.2, "happy": 0.2, "neutral": 0.2, "sad": 0.4}
    assert among_of(five_of_an_older_model) == NoValue(
        "invalid", "the scorer of speech emotion names no surprised"
    )


@pytest.mark.parametrize("values", [(0.0,) * 5, (-0.1, 0.5, 0.2, 0.2, 0.2), (float("nan"),) * 5])
def test_what_cannot_be_probabilities_is_invalid(values: tuple[float, ...]) -> None:
    found = among_of(dict(zip(FIVE, values, strict=True)))
    assert isinstance(found, NoValue)
    assert found.status == "invalid"


def test_other_scorers_columns_are_not_taken_for_emotions() -> None:
    assert among_of({"distillmos": 4.0, "dnsmos_ovrl": 3.0}) is NO_SCORER
    assert NO_SCORER.status == "unavailable"


def test_why_there_is_no_probability_is_told_as_it_is() -> None:
    assert emotions(spoken(duration_s=0.0)) == NoValue("excluded", "the reply has no speech")
    missing = spoken(gaps={"angry": ("unavailable", "funasr is not installed")})
    assert emotions(missing) == NoValue("unavailable", "funasr is not installed")
    refused = spoken(measured=dict.fromkeys(FIVE, "shorter than 1 s"))
    assert emotions(refused) == NoValue("invalid", "shorter than 1 s")
