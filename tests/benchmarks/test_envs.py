from __future__ import annotations

from antiphon.envs.domain import open_domain
from benchmarks import envs

DOMAIN = open_domain(envs.DOMAIN)


def test_an_episode_costs_less_than_a_millisecond_and_a_few_kilobytes() -> None:
    table = envs.Table(DOMAIN)
    assert envs.rate(table.recite, len(DOMAIN.tasks), 0.3) > 500  # the benchmark's limit is 1,000
    assert envs.rate(table.roll, len(DOMAIN.tasks), 0.3) > 300  # likewise; a test machine may be slow
    assert 0.5 < envs.kilobytes(DOMAIN) < 100


def test_both_sides_play_the_same_tasks_on_the_large_databases() -> None:
    large = envs.large(DOMAIN)
    assert {name: len(db["flights"]) for name, db in large.dbs.items()} == {
        "busy.json": 9016,
        "main.json": 9016,
    }
    found = envs.side_by_side(large)
    assert found["large_database_mb"] > 2
    assert found["times_faster_than_reparse_and_hash"] > 5
