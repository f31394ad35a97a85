from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.bench.items import Item
from antiphon.bench.metrics.wish import Wish, wish_of
from antiphon.bench.suites.vocalbench_zh.load import load

if TYPE_CHECKING:
    from pathlib import Path


def asked(question: str, **extra: Any) -> Wish | str:
    return wish_of(Item("i", "instruction_following", "zh", question, category="Paralinguistic", extra=extra))


@pytest.mark.parametrize(
    ("question", "wish"),
    [
        ("请跟我读。有些鸟儿关不住。", Wish("有些鸟儿关不住。")),
        ("请跟我读一遍：春天来了。", Wish("春天来了。")),
        ("请跟着念：“春天来了，花开了。”", Wish("春天来了，花开了。")),
        ("请重复“今天很冷。明天下雨。”", Wish("今天很冷。明天下雨。")),
        ("请用我一半的语速，重复这句话。他说：“我来了。”", Wish("他说：“我来了。”", "half")),
        ("请用比我快一倍的语速和悲伤的语气，跟我重复。理由是“不想去了”。", Wish("理由是“不想去了”。", "twice", "sad")),
        ("请用比我慢两倍的语速念。你好。", Wish("你好。", "half")),
        # What the sentence itself says is no instruction.
        ("请跟我读。价格涨了两倍，他很生气的语气变了。", Wish("价格涨了两倍，他很生气的语气变了。")),
    ],
)  # fmt: skip
def test_the_sentence_and_the_manner_are_found(question: str, wish: Wish) -> None:
    assert asked(question) == wish


def test_a_target_of_the_items_own_wins() -> None:
    assert asked("请用高兴的语气说今天放假。谢谢。", Target="今天放假。") == Wish("今天放假。", None, "happy")


def test_what_cannot_be_told_says_so() -> None:
    assert asked("请朗读一首诗。") == (
        "the instruction names no sentence to repeat; give the item a `Target`"
    )
    assert asked("请慢慢地念。你好。", **{"Sub-category": "With speed"}) == (
        "'With speed', but the instruction names no speed that we know"
    )
    both = "请先用我的两倍语速，再用我的一半语速念。你好。"
    assert isinstance(asked(both, **{"Sub-category": "With speed"}), str)


def test_all_published_instructions_are_understood(data: Path) -> None:
    folder = data / "vocalbench-zh"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    items = [item for item in load(folder, ["instruction_following"]) if item.category == "Paralinguistic"]
    wishes = {item.id: wish_of(item) for item in items}
    assert [wish for wish in wishes.values() if isinstance(wish, str)] == []
    kinds = Counter(
        (item.extra["Sub-category"], bool(wish.speed), bool(wish.emotion))
        for item in items
        if isinstance(wish := wishes[item.id], Wish)
    )
    assert kinds == {
        ("Plain repeat", False, False): 50,
        ("With emotion", False, True): 50,
        ("With speed", True, False): 50,
        ("With speed & emotion", True, True): 50,
    }
    speeds = Counter(wish.speed for wish in wishes.values() if isinstance(wish, Wish))
    assert speeds == {None: 100, "twice": 45, "half": 55}
    for item in items:  # the sentence is what follows the first full stop, to the letter
        wish = wishes[item.id]
        assert isinstance(wish, Wish)
        assert item.question.split("。", 1)[1] == wish.sentence
