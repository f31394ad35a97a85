"""A caller's script, and dialogues from its side."""

from __future__ import annotations

from collections.abc import Sequence

from antiphon.messages import Message, says
from antiphon.partner.script import Act, Fact, Script

FLIGHT = Fact("flight", "SK2859", "SK2859", ("flight",), ("SK 2859", "2859"))
DATE = Fact("date", "2026-08-20", "August 20", ("date", "which day"), ("August 20th", "2026-08-20"))
PHONE = Fact("phone", "4155501234", "415 550 1234", ("phone", "account"))
FARE = Fact("fare", "flex", "flex", ("fare",), unlike=("saver",))
DESTINATION = Fact("destination", "NRT", "Narita", ("Narita or Haneda", "which airport"))
HOLD = Script(
    opening="Hi, hold SK2859 for me.",
    facts=(FLIGHT, DATE, PHONE, FARE, DESTINATION),
    agrees="Yes, go ahead.",
    corrects="No, it is {say}.",
    insists=("Please, just once.",),
    more=("And what does it cost?",),
    acts=(Act("renew_card", ("renew your card",), "I have renewed it.", {"member": "4711"}),),
    done=("HD482902",),
    goodbye="Bye.",
    style="said fast, in one breath",
)


def dialogue(*lines: str) -> list[Message]:
    """Lines by turns, the caller's first."""
    return [says("user" if at % 2 == 0 else "assistant", line) for at, line in enumerate(lines)]


def heard(agent: str, before: Sequence[Message] = ()) -> list[Message]:
    """A dialogue whose last words are the agent's."""
    return [*before, says("user", "…"), says("assistant", agent)]
