from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antiphon.ids import hash_bytes, hash_file, hash_json, rng, seed_for

# FIPS 180-2, appendix B.1; and the digest of no bytes.
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_bytes_hash_to_their_published_sha_256():
    assert (hash_bytes(b"abc"), hash_bytes(b"")) == (ABC, EMPTY)


def test_a_file_hashes_like_its_bytes_across_pieces(tmp_path: Path):
    data = bytes(range(256)) * 8192 + b"tail"
    (tmp_path / "two-pieces").write_bytes(data)
    (tmp_path / "empty").write_bytes(b"")
    assert hash_file(tmp_path / "two-pieces") == hash_bytes(data)
    assert hash_file(tmp_path / "empty") == EMPTY


def test_json_hashes_alike_whatever_the_order_of_its_keys():
    assert hash_json({"b": [1, None], "a": "你好"}) == hash_json({"a": "你好", "b": [1, None]})
    assert hash_json({"b": [1, None], "a": "你好"}) == hash_bytes('{"a":"你好","b":[1,null]}'.encode())


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), ("1", 1), ([1, 2], [2, 1]), ({}, []), (None, False)])
def test_different_json_hashes_differently(one: object, other: object):
    assert hash_json(one) != hash_json(other)


def test_json_without_a_spelling_is_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        hash_json(float("nan"))


def test_half_a_character_still_has_a_hash():
    assert hash_json("\ud83d") != hash_json("\ud83c")


def test_a_seed_depends_on_every_part_and_on_nothing_else():
    seeds = [
        seed_for(0), seed_for(1), seed_for(0, "a"), seed_for(0, "b"), seed_for(0, "a", 1), seed_for(0, "a", "1"),
        seed_for(0, "ab"), seed_for(0, "a", "b"),
    ]  # fmt: skip
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 1 << 63 for seed in seeds)
    assert seed_for(7, "item", 3) == seed_for(7, "item", 3)


def test_seeds_stay_the_same_across_versions_and_machines():
    assert (seed_for(0), seed_for(7, "话", 3)) == (7520536977032167579, 1701033884788521550)


def test_a_generator_repeats_its_numbers_and_shares_none_with_another_purpose():
    first, again, other = (rng(1, *parts).integers(0, 1 << 32, 4) for parts in (("x",), ("x",), ("y",)))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
