"""Every aggregate of the paper's Tables 2 and 6 to 15 that its own cells give is recomputed here.

Exact arithmetic on the printed digits: a cell agrees when it is the exact value rounded to its digits, a tie
either way. Each disagreement stands here literally, and in docs/papers.md with its evidence.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

import pytest

from antiphon.bench.suites.vocalbench_zh.columns import SIX
from antiphon.bench.suites.vocalbench_zh.subsets import SUBSETS
from antiphon.bench.suites.vocalbench_zh.tables import Table, number, table, tables

CASCADE = "Cascade (Qwen3-8B)"
Apart = list[tuple[str, str, str, str]]  # system, column, printed, recomputed


def _exact(cell: str) -> Fraction:
    return Fraction(cell)


def _digits(cell: str) -> int:
    return len(cell.partition(".")[2])


def _agrees(value: Fraction, cell: str) -> bool:
    return abs(value - _exact(cell)) <= Fraction(1, 2 * 10 ** _digits(cell))


def _compare(found: Apart, one: Table, system: str, column: str, value: Fraction) -> None:
    cell = one.cell(system, column)
    if not _agrees(value, cell):
        found.append((system, column, cell, f"{float(value):.{_digits(cell)}f}"))


def _systems(one: Table) -> list[str]:
    return [row.system for row in one.rows]


def _whole(cell: str, n: int, full: int) -> int | None:
    """How many of `n` a share of `full` (100: percent, 1: a mean of whole points) stands for; None if none."""
    near = round(_exact(cell) * n / full)
    return near if _agrees(Fraction(near * full, n), cell) else None


def _counts(one: Table, system: str, full: int) -> dict[str, int]:
    """What every cell of a row stands for, by column; cells that stand for no whole number are left out."""
    found = {
        column.key: _whole(one.cell(system, column.key), column.n, full) for column in one.columns if column.n
    }
    return {key: value for key, value in found.items() if value is not None}


def test_table_2_recomputes_from_its_own_columns_but_for_one_misprint() -> None:
    one = table(2)
    found: Apart = []
    for system in _systems(one):
        cells = {column.key: one.cell(system, column.key) for column in one.columns}
        tenths = ("knowledge", "reasoning", "instruction", "empathy", "safety")
        value = sum(_exact(cells[key]) / 10 for key in tenths)
        value += sum(2 * _exact(cells[key]) for key in ("creativity", "single_round"))
        value += _exact(cells["fluency"]) + max(0, 10 - floor(_exact(cells["clarity"]) / 2))
        value += _exact(cells["robust"]) * 6 / 40
        _compare(found, one, system, "overall", value)
    assert found == [("Qwen3-Omni", "overall", "78.439", "78.385")]
    assert len(one.rows) == 15


def test_reasoning_times_two_as_equation_6_prints_would_pass_100_in_every_row() -> None:
    one = table(2)
    for system in _systems(one):
        reasoning = _exact(one.cell(system, "reasoning"))
        assert _exact(one.cell(system, "overall")) - reasoning / 10 + 2 * reasoning > 100


@pytest.mark.parametrize(
    ("column", "number", "source"),
    [
        ("knowledge", 6, "avg_s2t"),
        ("reasoning", 7, "total"),
        ("creativity", 8, "total"),
        ("multi_round", 9, "total"),
        ("instruction", 11, "total"),
        ("empathy", 12, "overall_eer"),
        ("code_switching", 13, "preserve_rate"),
        ("latency", 14, "rtf"),
        ("robust", 15, "avg"),
    ],
)
def test_table_2_repeats_the_detailed_tables(column: str, number: int, source: str) -> None:
    overview, detail = table(2), table(number)
    for system in _systems(overview):
        assert overview.cell(system, column) == (detail.cell(system, source) or "-")


def test_table_6_averages_its_splits_and_its_pooled_error_rate_cannot_be_recomputed() -> None:
    one = table(6)
    found: Apart = []
    pooled_is_mean: list[str] = []
    for system in _systems(one):
        for kind in ("s2t", "s2s"):
            cells = [one.cell(system, f"{split}_{kind}") for split in ("chinese", "foreign", "general")]
            assert all(_whole(cell, 1000, 100) is not None for cell in cells)
            _compare(found, one, system, f"avg_{kind}", sum(map(_exact, cells), Fraction()) / 3)
        rates = [_exact(one.cell(system, f"{split}_per")) for split in ("chinese", "foreign", "general")]
        average = one.cell(system, "avg_per")
        # Weights (syllables of each split) are not printed; what can be said is that no weights are negative.
        assert min(rates) <= _exact(average) <= max(rates)
        if _agrees(sum(rates, Fraction()) / 3, average):
            pooled_is_mean.append(system)
    assert found == []
    assert pooled_is_mean == ["Step-Audio-2-Mini"]


def test_in_table_6_one_split_loses_nothing_in_speech_though_its_error_rate_is_high() -> None:
    one = table(6)
    same = [
        (system, split, one.cell(system, f"{split}_per"))
        for system in _systems(one)
        for split in ("chinese", "foreign", "general")
        if _exact(one.cell(system, f"{split}_s2s")) >= _exact(one.cell(system, f"{split}_s2t"))
    ]
    assert same == [("Qwen3-Omni", "general", "5.579")]


def test_table_7_recomputes_from_its_right_answers() -> None:
    one = table(7)
    base = [column.key for column in one.columns[:8]]
    culture = [column.key for column in one.columns[10:16]]
    found: Apart = []
    for system in _systems(one):
        right = _counts(one, system, 100)
        assert len(right) == len(one.columns)
        for key, parts in (("base", base), ("culture", culture), ("total", [*base, "math", *culture])):
            total = one.column(key).n
            assert total == sum(one.column(part).n or 0 for part in parts)
            _compare(found, one, system, key, Fraction(100 * sum(right[part] for part in parts), total))
    assert found == []


def test_table_8_recomputes_from_its_points_but_for_kimi_audio_which_lacks_an_item() -> None:
    one = table(8)
    found: Apart = []
    broken: list[tuple[str, str, str]] = []
    for system in _systems(one):
        points = _counts(one, system, 1)
        broken += [
            (system, column.key, one.cell(system, column.key))
            for column in one.columns
            if column.key not in points
        ]
        if len(points) == len(one.columns):
            genres = sum(points.values()) - points["total"]
            _compare(found, one, system, "total", Fraction(genres, 240))
    assert found == []
    assert broken == [("Kimi-Audio", "poem_writing", "2.79"), ("Kimi-Audio", "total", "3.318")]
    rest = sum(_counts(one, "Kimi-Audio", 1).values())
    assert _agrees(Fraction(39, 14), "2.79")
    assert rest + 39 == 793
    assert _agrees(Fraction(793, 239), "3.318")


def test_table_9_recomputes_from_its_right_answers() -> None:
    one = table(9)
    found: Apart = []
    for system in _systems(one):
        right = _counts(one, system, 100)
        assert len(right) == len(one.columns)
        _compare(found, one, system, "total", Fraction(100 * (sum(right.values()) - right["total"]), 400))
    assert found == []
    sizes = {column.title: column.n for column in one.columns[:-1]}
    assert sizes == dict(SUBSETS["multi_round"].categories)


def test_tables_10_and_11_agree_and_recompute() -> None:
    tasks, dimensions = table(10), table(11)
    found: Apart = []
    for system in _systems(dimensions):
        for key in ("Paralinguistic", "Content", "Style"):
            parts = [column for column in tasks.columns if column.group == key]
            done = sum(int(tasks.cell(system, column.key)) for column in parts)
            _compare(found, dimensions, system, key.lower(), Fraction(100 * done, 50 * len(parts)))
        right = _counts(dimensions, system, 100)
        assert len(right) == len(dimensions.columns)
        _compare(found, dimensions, system, "total", Fraction(sum(right.values()) - right["total"], 10))
    assert found == []


def test_table_12_adds_up_and_five_of_its_rates_are_of_fewer_than_500_items() -> None:
    one = table(12)
    found: Apart = []
    odd: list[tuple[str, str, str]] = []
    for system in _systems(one):
        parts = [_exact(one.cell(system, f"{kind}_score")) for kind in ("semantic", "acoustic")]
        _compare(found, one, system, "overall_score", sum(parts, Fraction()))
        rates = {kind: one.cell(system, f"{kind}_eer") for kind in ("semantic", "acoustic", "overall")}
        odd += [(system, kind, cell) for kind, cell in rates.items() if _whole(cell, 500, 100) is None]
        both = _exact(rates["overall"])
        assert both <= min(_exact(rates["semantic"]), _exact(rates["acoustic"]))
        assert both >= _exact(rates["semantic"]) + _exact(rates["acoustic"]) - 100
    assert found == []
    assert odd == [
        ("VocalNet-ML", "acoustic", "45.9"),
        ("Baichuan-Omni-1.5", "acoustic", "52.9"),
        ("Baichuan-Omni-1.5", "overall", "44.9"),
        (CASCADE, "acoustic", "41.1"),
        (CASCADE, "overall", "40.5"),
    ]
    assert all(_whole(cell, 499, 100) is not None for _, _, cell in odd)


def test_table_13s_preserve_rates_are_quotients_of_the_printed_accuracies() -> None:
    one = table(13)
    printed: Apart = []
    exact: Apart = []
    for system in _systems(one):
        switched = one.cell(system, "accuracy_cs")
        english = one.cell(system, "accuracy_en").replace("72. 0", "72.10")
        right = [_whole(cell, 362, 100) for cell in (switched, english)]
        assert right[0] is not None
        assert right[1] is not None
        _compare(printed, one, system, "preserve_rate", 100 * _exact(switched) / _exact(english))
        _compare(exact, one, system, "preserve_rate", Fraction(100 * right[0], right[1]))
    assert printed == []
    assert exact == [
        ("GLM-4-Voice", "preserve_rate", "45.75", "45.74"),
        ("LLaMA-Omni2-Bilingual", "preserve_rate", "48.83", "48.84"),
        ("Freeze-Omni", "preserve_rate", "49.79", "49.80"),
        ("Qwen2.5-Omni", "preserve_rate", "54.67", "54.68"),
        ("Kimi-Audio", "preserve_rate", "65.63", "65.64"),
        ("VocalNet2-8B", "preserve_rate", "66.05", "66.04"),
        ("Qwen3-Omni", "preserve_rate", "90.89", "90.88"),
    ]


def test_table_13s_misprinted_accuracy_can_only_be_72_10() -> None:
    one = table(13)
    assert one.cell(CASCADE, "accuracy_en") == "72. 0"
    assert number("72. 0") is None
    rate, switched = one.cell(CASCADE, "preserve_rate"), one.cell(CASCADE, "accuracy_cs")
    fits = [
        right
        for right in range(1, 363)
        if _agrees(100 * _exact(switched) / Fraction(f"{right * 100 / 362:.2f}"), rate)
    ]
    assert fits == [261]
    assert f"{261 * 100 / 362:.2f}" == "72.10"


def test_table_13s_word_rates_share_one_denominator_but_for_one_impossible_cell() -> None:
    one = table(13)
    odd: list[tuple[str, str, str, str]] = []
    for system in _systems(one):
        assert _whole(one.cell(system, "lsa"), 362, 100) is not None
        assert _whole(one.cell(system, "understanding"), 200, 100) is not None
        assert _whole(one.cell(system, "generation"), 200, 1) is not None
        for words, rates in (("num", ("psr", "wer")), ("open_num", ("open_psr", "open_wer"))):
            n = one.cell(system, words)
            odd += [
                (system, key, one.cell(system, key), n)
                for key in rates
                if _whole(one.cell(system, key), int(n), 100) is None
            ]
    assert odd == [("Kimi-Audio", "open_psr", "65.86", "532")]


def test_table_14_is_generation_time_over_response_duration_in_all_13_rows() -> None:
    one = table(14)
    found: Apart = []
    for system in _systems(one):
        value = _exact(one.cell(system, "generation_s")) / _exact(one.cell(system, "response_s"))
        _compare(found, one, system, "rtf", value)
        assert not _agrees(1 / value, one.cell(system, "rtf"))  # equation 4 as printed
    assert found == []
    assert len(one.rows) == 13


def test_table_15_divides_by_the_clean_score_and_averages_with_a_cap() -> None:
    one = table(15)
    found: Apart = []
    from_printed_rates: list[str] = []
    for system in _systems(one):
        clean = _exact(one.cell(system, "clean"))
        rates = {key: 100 * _exact(one.cell(system, f"{key}_score")) / clean for key in SIX}
        for key, value in rates.items():
            _compare(found, one, system, f"{key}_pr", value)
        _compare(found, one, system, "avg", sum(min(rate, Fraction(100)) for rate in rates.values()) / 6)
        printed = sum(min(_exact(one.cell(system, f"{key}_pr")), Fraction(100)) for key in SIX) / 6
        if _agrees(printed, one.cell(system, "avg")):
            from_printed_rates.append(system)
    assert found == [
        ("Kimi-Audio", "white_noise_pr", "93.96", "93.97"),
        ("Kimi-Audio", "reverberation_pr", "98.48", "98.41"),
        ("Kimi-Audio", "avg", "94.347", "94.339"),
    ]
    assert len(from_printed_rates) == 6  # so the averages are of unrounded rates


def test_without_the_cap_baichuan_would_gain_three_points() -> None:
    one = table(15)
    clean = _exact(one.cell("Baichuan-Omni-1.5", "clean"))
    free = sum(100 * _exact(one.cell("Baichuan-Omni-1.5", f"{key}_score")) / clean for key in SIX) / 6
    assert one.cell("Baichuan-Omni-1.5", "avg") == "99.357"
    assert f"{float(free):.3f}" == "102.250"


def test_tables_2_and_5_name_the_same_language_models_but_for_one() -> None:
    overview, models = table(2), table(5)
    apart = [
        (row.system, overview.cell(row.system, "llm"), models.cell(row.system, "llm"))
        for row in models.rows
        if overview.cell(row.system, "llm") != models.cell(row.system, "llm")
    ]
    assert apart == [("Qwen3-Omni", "Qwen3-30B-A3B", "Qwen3")]


def test_the_text_quotes_other_numbers_than_its_tables() -> None:
    """Observation 10 says 70.9 and 49.5; appendix E.8 calls 34.05 to 74.86 losses."""
    followed = table(11)
    assert followed.cell("Qwen3-Omni", "total") == "73.3"
    assert followed.cell("MiMo-Audio-Instruct", "total") == "52.3"
    switched = table(13)
    rates = [
        _exact(switched.cell(row.system, "preserve_rate"))
        for row in switched.rows
        if row.system not in ("Qwen3-Omni", CASCADE)
    ]
    assert (float(min(rates)), float(max(rates))) == (34.05, 74.86)
    assert (float(100 - max(rates)), float(100 - min(rates))) == (25.14, 65.95)


def test_whatever_does_not_recompute_carries_a_note_with_the_value_that_does() -> None:
    noted = {(one.table, note.system, note.column): note.recomputed for one in tables() for note in one.notes}
    for key, value in {
        (2, "Qwen3-Omni", "overall"): "78.385",
        (8, "Kimi-Audio", "total"): "3.304",
        (13, CASCADE, "accuracy_en"): "72.10",
        (15, "Kimi-Audio", "white_noise_pr"): "93.97",
        (15, "Kimi-Audio", "reverberation_pr"): "98.41",
        (15, "Kimi-Audio", "avg"): "94.339",
    }.items():
        assert noted[key] == value
    for key in (
        (8, "Kimi-Audio", "poem_writing"),
        (12, "VocalNet-ML", "acoustic_eer"),
        (12, "Baichuan-Omni-1.5", "acoustic_eer"),
        (12, "Baichuan-Omni-1.5", "overall_eer"),
        (12, CASCADE, "acoustic_eer"),
        (12, CASCADE, "overall_eer"),
        (13, "", "preserve_rate"),
        (13, "Kimi-Audio", "open_psr"),
        (6, "", "avg_per"),
        (6, "Qwen3-Omni", "general_s2s"),
    ):
        assert key in noted
