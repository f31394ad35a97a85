"""Episodes of the lending desk for tests, played from a few lines: (role, words) or (tool, arguments[, who])."""

from __future__ import annotations

from typing import Any

from antiphon.clock import VirtualClock
from antiphon.envs.domain import Domain
from antiphon.envs.episode import Episode
from antiphon.messages import ToolCall
from antiphon.trace import StopReason, Trace

Action = tuple[Any, ...]
GOOD: list[Action] = [
    ("user", "Emma, please. I am member 4711."),
    ("find", {"title": "Emma"}),
    ("assistant", "Emma?"),
    ("user", "Yes."),
    ("lend", {"member": "4711", "book": "B1"}),
    ("assistant", "Your loan is L101."),
]
EXTRA: Action = ("give_back", {"loan": "L9"})
FAILS: Action = ("lend", {"member": "9999", "book": "B1"})
CLAIM: Action = ("assistant", "I've lent you Emma.")


def play(
    desk: Domain, actions: list[Action], task: str = "lend_emma", stop: StopReason = "partner_hung_up"
) -> Trace:
    episode = Episode(desk, desk.task(task), VirtualClock())
    for action in actions:
        if action[0] in ("user", "assistant"):
            episode.say(action[0], action[1])
        else:
            episode.call(ToolCall("c", action[0], action[1]), *action[2:])
    return episode.finish(stop, seed=1)
