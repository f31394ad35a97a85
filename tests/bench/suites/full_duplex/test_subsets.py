from __future__ import annotations

from antiphon.bench.suites.full_duplex.subsets import TASKS, VERSIONS, chosen, known_version


def test_the_published_counts():
    counts = {version: sum(subset.count for subset in of) for version, of in VERSIONS.items()}
    assert counts == {"1.0": 727, "1.5": 499, "3.0": 100}
    assert len(TASKS) == 10  # no name in two versions


def test_a_version_may_have_a_v_and_no_zero():
    assert [known_version(name) for name in ("v1.5", "1", "v3.0", "1.5")] == ["1.5", "1.0", "3.0", "1.5"]


def test_without_a_wish_all_subsets_are_wanted():
    assert chosen("1.5", ()) == VERSIONS["1.5"]
    assert [subset.name for subset in chosen("1.0", ["icc_backchannel"])] == ["icc_backchannel"]
