from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antiphon.bench.suites.vocalbench_zh.figures import figures, level_words
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS
from antiphon.score import Score
from tests.bench.bench_boards import items_of, results

if TYPE_CHECKING:
    from antiphon.bench.items import Item
    from antiphon.bench.results import Results


def robust(values: dict[str, float]) -> Results:
    """Two items a level of white noise, and the same two clean, scored 5 and 3."""
    items: list[Item] = []
    scores: list[Score] = []
    for level in CONDITIONS["white_noise"]:
        for number in range(2):
            item = replace(
                items_of("robust_clean")[number],
                id=f"{level}-{number}", subset="robust", category="white_noise", extra={"Level": level},
                cluster=f"q{number}",
            )  # fmt: skip
            items.append(item)
            if level in values:
                scores.append(Score(item.id, "robust", "score", values[level], cluster=item.cluster))
    for number, value in enumerate((5.0, 3.0)):
        item = replace(items_of("robust_clean")[number], cluster=f"q{number}")
        items.append(item)
        scores.append(Score(item.id, "robust_clean", "score", value, cluster=item.cluster))
    return results(items, scores)


def three(system: str) -> Results:
    """Three of the ten indicators."""
    items = [items_of(subset)[0] for subset in ("creativity", "safety", "single_round")]
    scores = [
        Score(items[0].id, "creativity", "score", 3.0),
        Score(items[1].id, "safety", "refusal_rate", 1.0),
        Score(items[2].id, "single_round", "syllable_error_rate", 0.25),
    ]
    return results(items, scores, system=system, system_uri=system)


def test_every_strain_goes_from_easy_to_hard() -> None:
    (plot,) = figures([robust({"snr_20": 4.0, "snr_-5": 2.0})]).levels
    ticks = re.findall(r'y="208" text-anchor="middle">([^<]*)<', plot)
    assert ticks == ["20", "15", "10", "5", "0", "−5"]
    words = [[level_words(level) for level in levels] for levels in CONDITIONS.values()]
    assert words[2:] == [
        ["0.5", "1.0", "1.5", "2.0", "2.5", "3.0"],
        ["100", "200", "300", "400", "500", "600", "700", "800"],
        ["10", "30", "50", "70", "90"],
        ["0.0001", "0.001", "0.01", "0.1", "0.5"],
    ]


def test_scores_stand_beside_the_clean_mean_and_the_one_published_level() -> None:
    (plot,) = figures([robust({"snr_20": 4.0, "snr_-5": 2.0})], ["Freeze-Omni"]).levels
    told = re.findall(r"<desc>([^<]*)</desc>", plot)[0]
    assert told == (
        "openai:some-model: clean 4.00; speech over noise, dB: 20 4.00 (n 2), 15 missing, 10 missing, "
        "5 missing, 0 missing, −5 2.00 (n 2). Freeze-Omni: clean 3.48; speech over noise, dB: −5 2.95"
    )


def test_a_score_below_one_moves_the_axis_and_is_not_lost() -> None:
    (plot,) = figures([robust({"snr_20": 0.0})]).levels
    assert 'text-anchor="end">0<' in plot


def test_indicators_have_the_paper_s_scale_and_missing_ones_are_not_zero() -> None:
    drawn = figures([three("a")], ["Freeze-Omni"]).radar
    assert drawn is not None
    told = re.findall(r"<desc>([^<]*)</desc>", drawn)[0]
    assert told.startswith(
        "a: knowledge: not measured; reasoning: not measured; creativity: 3.00 · n\N{NO-BREAK SPACE}1; "
        "fluency: not measured; clarity: 25.0 · n\N{NO-BREAK SPACE}1; single round: not measured"
    )
    # Freeze-Omni, Table 2: creativity 2.692 is (2.692 - 1) / 4, PER 1.617 is 100 - 1.617, robust is the rate.
    assert "Freeze-Omni: knowledge 51.0; reasoning 40.2; creativity 42.3; fluency 63.8; clarity 98.4" in told
    assert told.endswith("safety 70.8; robust 69.1")
    assert drawn.count('class="gone"') == 2 * 7


def test_two_runs_share_the_axes_and_are_told_apart() -> None:
    found = figures([three("same"), three("same")])
    assert found.radar is not None
    assert found.radar.count('class="rival"') == 2
    assert ">3.00 / 3.00<" in found.radar
    assert ">n 1 / 1<" in found.radar
    assert found.legend.count("same (one)") == 2


def test_two_indicators_are_no_radar_but_published_systems_alone_are() -> None:
    few = three("a")
    assert figures([replace(few, scores=few.scores[:2])]).radar is None
    alone = figures([], ["Qwen3-Omni"])
    assert alone.radar is not None
    assert alone.radar.count('class="gone"') == 0
    assert alone.levels == ()


@pytest.mark.parametrize("level", ["snr_-5", "rt60_05"])
def test_levels_read_as_numbers(level: str) -> None:
    assert level_words(level) == {"snr_-5": "−5", "rt60_05": "0.5"}[level]
