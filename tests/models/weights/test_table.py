from __future__ import annotations

import re

import pytest

from antiphon.errors import ConfigError
from antiphon.models.weights import table


@pytest.mark.parametrize("weight", table.TABLE.values(), ids=lambda weight: weight.name)
def test_every_file_is_pinned_and_its_archive_members_add_up_to_it(weight: table.Weight) -> None:
    assert weight.licence
    for file in weight.files:
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert sum(member.size for member in file.members) == file.size
        assert all(re.fullmatch(r"[0-9.]+", member.version) for member in file.members)


def test_the_table_holds_what_the_embedded_agent_and_its_instruments_need() -> None:
    sizes = {name: weight.size for name, weight in table.TABLE.items()}
    assert sizes == {
        "whisper-base": 147_882_941,
        "kokoro": 120_575_669,
        "qwen2.5-coder-0.5b": 491_400_064,
        "qwen2.5-coder-1.5b": 1_117_320_768,
        "dnsmos": 1_382_825,
        "smart-turn": 8_679_182,
        "resemblyzer": 17_090_379,
    }


def test_digests_differ_and_do_not_change_unnoticed() -> None:
    digests = {name: weight.digest for name, weight in table.TABLE.items()}
    assert digests == {
        "whisper-base": "053522e2ecd5",
        "kokoro": "c767f3a7067c",
        "qwen2.5-coder-0.5b": "43d5a1dfb520",
        "qwen2.5-coder-1.5b": "1730ff80d47f",
        "dnsmos": "7e6bf85e945d",
        "smart-turn": "b7f388008733",
        "resemblyzer": "b95eed5025ad",
    }


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(
        ConfigError, match=r"no weights 'whisper-huge'; there are: dnsmos, kokoro, .*whisper-base"
    ):
        table.weight("whisper-huge")
