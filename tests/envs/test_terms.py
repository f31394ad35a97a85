from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.envs.terms import terms_of
from antiphon.errors import DomainError
from tests.envs.desk import LEND, REFUSE, open_desk


def test_terms_hold_contract_milestones_deeds_and_the_group(tmp_path: Path):
    desk = open_desk(tmp_path)
    terms = terms_of(desk, desk.task("lend_emma"))
    assert terms.task is desk.task("lend_emma")
    assert [each.tool for each in terms.milestones] == ["find", "lend"]
    assert terms.deeds == {"lend", "give_back", "renew_card"}
    assert terms.group.startswith("desk/lend_emma@")
    other = terms_of(desk, desk.task("refuse_second"))
    assert other.group != terms.group


def test_a_changed_task_is_another_group(tmp_path: Path):
    one = open_desk(tmp_path / "a")
    two = open_desk(tmp_path / "b", LEND | {"tags": ["x"]}, REFUSE)
    groups = {terms_of(desk, desk.task("lend_emma")).group for desk in (one, two)}
    assert len(groups) == 2


def test_a_task_whose_reference_fails_rewards_nothing(tmp_path: Path):
    desk = open_desk(tmp_path, LEND | {"expected_db": {"loans": {"L101": {"book": "B2"}}}})
    with pytest.raises(DomainError, match="its reference does not hold"):
        terms_of(desk, desk.task("lend_emma"))
