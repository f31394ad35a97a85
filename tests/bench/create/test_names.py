from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.bench.create.names import Names, chosen, read_names, replaced, says
from antiphon.errors import ConfigError, DataError

if TYPE_CHECKING:
    from pathlib import Path

POOL = Names({}, {"人名": ("李明", "王芳")})


def test_our_small_list_has_persons_only():
    ours = read_names(None)
    assert set(ours.pools) == {"人名"}
    assert len(ours.pools["人名"]) == 20


def test_one_list_in_three_formats(tmp_path: Path):
    wanted = Names({"John": "李明"}, {"地名": ("苏州", "杭州")})
    files = {
        "a.json": '{"replace": {"John": "李明"}, "pools": {"地名": ["苏州", "杭州"]}}',
        "a.yaml": "replace: {John: 李明}\npools:\n  地名: [苏州, 杭州]\n",
        "a.csv": "kind,name,replacement\n人名,John,李明\n地名,,苏州\n地名,,杭州\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_names(tmp_path / name) == wanted
    assert wanted.version != POOL.version


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.json", "{", "a.json:1: not JSON: "),
        ("a.json", '{"pool": {}}', "a.json: unknown keys; there are: pools, replace"),
        (
            "a.json",
            '{"pools": {"people": ["李明"]}}',
            "a.json pools: no kind 'people'; there are: 人名, 地名, 机构名",
        ),
        ("a.json", '{"pools": {"人名": ["李明", "李明"]}}', "a.json pools.人名: holds a name twice"),
        ("a.json", '{"replace": {"John": ""}}', "a.json replace: holds an empty name"),
        ("a.json", '{"replace": {"John": 3}}', "a.json: Expected `str`, got `int`"),
        ("a.yaml", "a: [", "a.yaml: not YAML: "),
        ("a.csv", "name,replacement\n", "a.csv:1: has the columns ['name', 'replacement'], not kind, name"),
        ("a.csv", "kind,name,replacement\n人名,John,\n", "a.csv:2 replacement: is empty"),
    ],
)
def test_a_wrong_list_is_refused_with_its_place(tmp_path: Path, name: str, text: str, problem: str):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_names(tmp_path / name)
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(problem)


def test_a_list_that_is_not_there_or_of_no_known_kind_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="no list of names"):
        read_names(tmp_path / "a.json")
    (tmp_path / "a.txt").touch()
    with pytest.raises(ConfigError, match=r"no kind of list '.txt'; there are: .csv, .json, .yaml, .yml"):
        read_names(tmp_path / "a.txt")


def test_a_users_word_holds_and_others_are_drawn_once_each():
    names = Names({"约翰": "小强"}, POOL.pools)
    found = [("人名", "约翰"), ("人名", "玛丽"), ("人名", "彼得"), ("地名", "巴黎")]
    becomes = chosen(names, found, "约翰、玛丽和彼得在巴黎", "0001", 0)
    assert isinstance(becomes, dict)
    assert becomes["约翰"] == "小强"
    assert {becomes["玛丽"], becomes["彼得"]} == {"李明", "王芳"}
    assert "巴黎" not in becomes
    assert chosen(names, found, "约翰、玛丽和彼得在巴黎", "0001", 0) == becomes


def test_nothing_becomes_a_name_that_is_there_and_an_empty_pool_says_so():
    assert chosen(POOL, [("人名", "玛丽")], "玛丽认识李明", "0001", 0) == {"玛丽": "王芳"}
    assert chosen(POOL, [("人名", "李明")], "李明来了", "0001", 0) == {}
    three = [("人名", name) for name in ("玛丽", "彼得", "安娜")]
    assert chosen(POOL, three, "玛丽彼得安娜", "0001", 0) == "the list has no 人名 left for 安娜"


def test_names_are_replaced_whole_and_at_once():
    assert replaced("约翰逊和约翰", {"约翰": "李明", "约翰逊": "王芳"}) == "王芳和李明"
    assert replaced("甲和乙", {"甲": "乙", "乙": "甲"}) == "乙和甲"
    assert replaced("Ann met Anna; ann did not.", {"Ann": "李明"}) == "李明 met Anna; ann did not."
    assert replaced("a.b", {}) == "a.b"
    assert says("和Ann说", "Ann")
    assert not says("Anna", "Ann")
