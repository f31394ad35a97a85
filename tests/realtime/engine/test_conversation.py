from __future__ import annotations

from antiphon.messages import ToolCall, ToolResult
from antiphon.realtime.engine.conversation import RUNNING, Conversation, Spoken, ToolUse, Turn
from antiphon.realtime.engine.playback_log import ItemLog


def _spoken(item: str, text: str, played_ms: int) -> Spoken:
    log = ItemLog(text)
    log.made(100 * len(text), len(text))
    log.played(played_ms)
    return Spoken(item, log)


def test_the_history_says_what_was_heard():
    history = Conversation(
        [Turn("t", ("u",), "hello"), _spoken("i", "one two three", 700), _spoken("j", "unheard", 0)]
    )
    assert [(message.role, message.text) for message in history.messages()] == [
        ("user", "hello"), ("assistant", "one two"),
    ]  # fmt: skip


def test_a_tool_that_runs_says_so_until_its_result_is_there():
    call = ToolCall("c", "look", {})
    history = Conversation([ToolUse(call)])
    assert history.messages()[1].parts == (ToolResult("c", value=RUNNING),)
    history.give(ToolResult("c", value="tea"))
    history.give(ToolResult("c", value="a second result of one call"))
    assert history.messages()[1].parts == (ToolResult("c", value="tea"),)


def test_only_what_was_not_heard_at_all_is_forgotten():
    history = Conversation([_spoken("i", "one two", 700), _spoken("j", "unheard", 0)])
    history.forget_unheard("i")
    history.forget_unheard("j")
    assert [each.item for each in history.entries if isinstance(each, Spoken)] == ["i"]


def test_a_turn_can_be_found_and_taken_back():
    history = Conversation([Turn("t", ("u",), "hello")])
    assert history.turn("t") == Turn("t", ("u",), "hello")
    history.forget_turn("t")
    assert history.turn("t") is None
