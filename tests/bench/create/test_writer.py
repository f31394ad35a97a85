from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.bench.create.writer import PROMPTS, Wording, Writer, open_writer, wording
from antiphon.bench.items import Turn
from antiphon.cache import Store
from antiphon.clock import RealClock, VirtualClock
from antiphon.errors import ConfigError
from antiphon.models.scripted import Line, ScriptedChat

if TYPE_CHECKING:
    from pathlib import Path


class Counted(ScriptedChat):
    """A scripted chat that passes for a real one, so that its answers are kept."""

    def __init__(self) -> None:
        super().__init__("x", [Line(text=" 好 ", times=1)], VirtualClock())
        self.name = "real"


async def test_no_answer_is_paid_for_twice(tmp_path: Path):
    store = Store(tmp_path)
    assert await Writer(Counted(), store).ask("一", history=(Turn("user", "你好"),)) == "好"
    again = Counted()
    assert await Writer(again, store).ask("一", history=(Turn("user", "你好"),)) == "好"
    assert again._uses == [1]
    assert await Writer(again, store).ask("一") == "好"
    assert again._uses == [0]


async def test_what_is_scripted_is_never_kept(tmp_path: Path):
    chat = ScriptedChat("x", [Line(text="好")], VirtualClock())
    await Writer(chat, Store(tmp_path / "cache")).ask("一")
    assert not (tmp_path / "cache").exists()


def test_a_wording_has_a_version_and_leaves_braces_in_values_alone():
    one = Wording("a", "问：{question}")
    assert one.fill({"question": "{answer}?"}) == "问：{answer}?"
    assert one.label != Wording("a", "问: {question}").label
    with pytest.raises(KeyError):
        one.fill({})


def test_every_prompt_is_there_and_asks_for_something():
    names = sorted(path.stem for path in PROMPTS.glob("*.txt"))
    assert names == ["adapt", "answer", "answer_en", "entities", "tag", "translate"]
    assert all("{" in wording(name).text for name in names)


def test_a_writer_is_opened_by_name():
    assert open_writer("scripted:echo", RealClock()).name.startswith("scripted:echo")
    with pytest.raises(ConfigError):
        open_writer("nobody:", RealClock())
