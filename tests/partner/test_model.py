from __future__ import annotations

import pytest

from antiphon.clock import VirtualClock
from antiphon.errors import ModelError
from antiphon.messages import Message, ToolCall, ToolResult, ToolSpec, says
from antiphon.models.ports import Request, is_scripted
from antiphon.models.scripted import Asked, Line, ScriptedChat
from antiphon.partner.model import STOP, ModelPartner
from antiphon.partner.partner import PartnerTurn
from tests.partner.people import HOLD, heard

PROMPT = "You are Emily. You want a hold on SK2859 on August 20. phone: 415 550 1234."


def partner(*lines: Line, **more: object) -> ModelPartner:
    chat = ScriptedChat("caller", lines, VirtualClock())
    return ModelPartner(chat, PROMPT, HOLD, **more)  # pyright: ignore[reportArgumentType]


async def turn(text: str, agent: str = "Hello.") -> PartnerTurn:
    return await partner(Line(text=text)).turn(heard(agent))


class Listening(ScriptedChat):
    """Remembers what it was asked."""

    def __init__(self, *lines: Line) -> None:
        super().__init__("listening", lines, VirtualClock())
        self.requests: list[Request] = []

    async def stream(self, request: Request):
        self.requests.append(request)
        async for chunk in super().stream(request):
            yield chunk


async def test_it_sees_its_prompt_and_the_dialogue_from_its_own_side():
    chat = Listening(Line(text="A hold, please."))
    caller = ModelPartner(chat, PROMPT, HOLD)
    first = await caller.turn([])
    assert (first.text, first.hang_up, first.cues) == ("A hold, please.", False, {"style": HOLD.style})
    await caller.turn([says("user", "A hold, please."), says("assistant", "Which flight?")])
    opening, later = chat.requests
    assert [(m.role, m.text) for m in opening.messages[1:]] == [("user", "(The agent picks up the phone.)")]
    assert [(m.role, m.text) for m in later.messages[1:]] == [
        ("user", "(The agent picks up the phone.)"), ("assistant", "A hold, please."), ("user", "Which flight?"),
    ]  # fmt: skip
    assert later.messages[0].role == "system"
    assert PROMPT in later.messages[0].text
    assert STOP in later.messages[0].text
    assert is_scripted(caller.name)


async def test_the_stop_token_hangs_up_after_the_words_before_it():
    after = await turn(f"Thanks, bye. {STOP}", "Your hold is HD482902.")
    assert (after.text, after.hang_up, after.stopped_early) == ("Thanks, bye.", True, None)


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("", "it hung up before the agent had said anything"),
        ("What is your phone number?", "it hung up before the end of its script"),
    ],
)
async def test_stopping_before_the_end_is_the_partners_fault(agent: str, why: str):
    assert (await turn(f"Bye. {STOP}", agent)).stopped_early == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it said nothing"),
        ("How can I help you today?", "it spoke as the agent: 'How can I help you today?'"),
        ("My flight is SK2895.", "it made up '2895', which its script does not hold"),
        ("请问有什么可以帮您？", "it spoke as the agent: '请问有什么可以帮您？'"),
    ],
)
async def test_what_this_person_would_not_say_leaves_the_script(text: str, why: str):
    assert (await turn(text)).left_script == why


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It is 415-550-1234.", "It is 415-550-1234."),
        ("*sighs* Yes.", "Yes."),
        ("990 is fine.", "990 is fine."),
    ],
)
async def test_numbers_of_the_prompt_and_of_the_dialogue_are_its_own(text: str, said: str):
    found = await turn(text, "That is 990 dollars.")
    assert (found.text, found.left_script) == (said, None)


async def test_its_tool_calls_are_numbered_apart_from_the_agents():
    spec = ToolSpec("pay", "Pay.", {"type": "object", "properties": {}})
    caller = partner(Line(tool_calls=(Asked("pay", {}),), times=1), Line(text="Paid."), tools=(spec,))
    (call,) = (await caller.turn(heard("Please pay."))).tool_calls
    assert call == ToolCall("partner_1_call_0", "pay", {})
    told = [
        *heard("Please pay."),
        Message("user", (call,)),
        Message("tool", (ToolResult(call.id, {"ok": 1}),)),
    ]
    assert (await caller.turn(told)).text == "Paid."


async def test_a_model_that_cannot_be_had_is_an_error():
    with pytest.raises(ModelError, match="no line of the script fits"):
        await partner(Line(match="never")).turn([])


async def test_it_can_be_saved_and_restored():
    caller = partner(Line(text="Yes."))
    await caller.turn(heard("Your hold is HD482902."))
    other = partner(Line(text=f"Bye. {STOP}"))
    other.restore(caller.snapshot())
    assert (await other.turn(heard("Fine."))).stopped_early is None
