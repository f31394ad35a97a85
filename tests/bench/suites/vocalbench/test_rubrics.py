from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antiphon.bench.items import Item
from antiphon.bench.suites.vocalbench.load import load
from antiphon.bench.suites.vocalbench.rubrics import CHOICES, PROMPT_OF, PROMPTS, prompt_file, prompts_for
from antiphon.bench.suites.vocalbench.subsets import LIKE, SUBSETS
from antiphon.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {"question": "Q", "answer": "A", "response": "R", "history": "H"}


def test_every_item_can_be_judged(published: Path) -> None:
    assert {path.stem for path in PROMPTS.glob("*.txt")} == set(CHOICES)
    assert set(PROMPT_OF) == {LIKE.get(name, name) for name in SUBSETS}
    for item in load(published):
        (prompt,) = prompts_for(replace(item, subset=LIKE.get(item.subset, item.subset)))
        assert "{" not in prompt.fill(FIELDS)
    assert not prompt_file("reasoning").choices
    assert prompt_file("safety").choices == ("yes", "no")


def test_a_category_without_criterion_is_named_with_those_that_have_one() -> None:
    item = Item("c-0", "creativity", "en", "Write.", category="Haiku")
    with pytest.raises(DataError, match=r"c-0 is 'Haiku'; we can judge: Poem, Narrative"):
        prompts_for(item)
