from __future__ import annotations

from pathlib import Path

from antiphon.clock import VirtualClock
from antiphon.envs.dialogue import messages
from antiphon.envs.episode import Episode
from antiphon.messages import Message, ToolCall, ToolResult, says
from tests.envs.desk import open_desk


def test_each_side_sees_the_words_and_only_its_own_calls(tmp_path: Path):
    desk = open_desk(tmp_path)
    episode = Episode(desk, desk.task("lend_emma"), VirtualClock())
    found = ToolCall("c1", "give_back", {"loan": "L7"})
    renewed = ToolCall("c2", "renew_card", {"member": "4711"})
    episode.say("system", "Rules.")
    episode.say("user", "Emma, please.")
    episode.call(found)
    episode.say("assistant", "One moment.")
    episode.call(renewed, "user")
    failed = ToolResult("c1", {"error": "no loan 'L7'"}, "no loan 'L7'")
    assert messages(episode.steps) == (
        says("system", "Rules."),
        says("user", "Emma, please."),
        Message("assistant", (found,)),
        Message("tool", (failed,)),
        says("assistant", "One moment."),
    )
    assert messages(episode.steps, "user") == (
        says("user", "Emma, please."),
        says("assistant", "One moment."),
        Message("user", (renewed,)),
        Message("tool", (ToolResult("c2", {"card": "valid"}),)),
    )
