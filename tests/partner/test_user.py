from __future__ import annotations

from antiphon.messages import Message, ToolResult, says
from antiphon.models.ports import is_scripted
from antiphon.partner.script import Script
from antiphon.partner.user import ScriptedPartner, words_since
from tests.partner.people import HOLD, heard


async def opened(script: Script = HOLD) -> ScriptedPartner:
    partner = ScriptedPartner(script)
    assert (await partner.turn([])).text == script.opening
    return partner


async def say(partner: ScriptedPartner, agent: str) -> str:
    return (await partner.turn(heard(agent))).text


async def test_it_tells_what_is_asked_confirms_what_is_right_and_corrects_what_is_wrong():
    partner = await opened()
    assert is_scripted(partner.name)
    assert await say(partner, "Your phone number and the date, please?") == "August 20, 415 550 1234."
    assert await say(partner, "SK2859 on August 20, right?") == "Yes, go ahead."
    assert await say(partner, "SK2895 on August 20, right?") == "No, it is SK2859."
    assert await say(partner, "What colour do you like?") == "I don't know that."
    assert await say(partner, "Shall I go on?") == "Yes, go ahead."
    assert await say(partner, "I didn't catch that.") == "Yes, go ahead."


async def test_it_insists_when_refused_asks_for_more_when_answered_and_hangs_up_at_the_end():
    partner = await opened()
    assert await say(partner, "I'm sorry, that is not possible.") == "Please, just once."
    assert await say(partner, "HD482902 is placed.") == "And what does it cost?"
    last = await partner.turn(heard("HD482902 costs 990 dollars."))
    assert (last.text, last.hang_up, last.left_script, last.stopped_early) == ("Bye.", True, None, None)


async def test_it_asks_again_for_what_it_has_not_got_and_loses_patience():
    partner = await opened(Script(opening="Hold it.", done=("done",), patience=2))
    assert await say(partner, "Anything else?") == "I'm listening."
    assert await say(partner, "Shall I?") == "Yes."
    assert await say(partner, "Anything else?") == "Hold it."
    assert await say(partner, "") == "Hello? Are you there?"
    last = await partner.turn(heard("Hm."))
    assert (last.text, last.hang_up) == ("Goodbye.", True)


async def test_it_uses_its_own_tool_once_and_says_how_it_went():
    partner = await opened()
    turn = await partner.turn(heard("Please renew your card in the app."))
    (call,) = turn.tool_calls
    assert (turn.text, call.name, call.arguments) == ("", "renew_card", {"member": "4711"})
    results = [*heard("Please renew your card."), Message("tool", (ToolResult(call.id, {"card": "valid"}),))]
    assert (await partner.turn(results)).text == "I have renewed it."
    assert await say(partner, "Please renew your card.") == "I'm listening."

    other = await opened()
    (call,) = (await other.turn(heard("Please renew your card."))).tool_calls
    failed = [Message("tool", (ToolResult(call.id, None, "no member."),))]
    assert (await other.turn(failed)).text == "That did not work: no member."


async def test_a_restored_partner_goes_on_as_the_first_one_did():
    partner = await opened()
    await say(partner, "I'm sorry, I can't.")
    moment = partner.snapshot()
    after = [await say(partner, line) for line in ("HD482902.", "What date?", "HD482902.")]
    other = ScriptedPartner(HOLD)
    other.restore(moment)
    assert [await say(other, line) for line in ("HD482902.", "What date?", "HD482902.")] == after
    assert after == ["And what does it cost?", "August 20.", "Bye."]


async def test_mandarin_scripts_are_answered_in_mandarin():
    partner = ScriptedPartner(Script(opening="你好。", patience=2), "zh")
    await partner.turn([])
    assert (await partner.turn(heard("您喜欢什么颜色？"))).text == "这个我不知道。"
    assert (await partner.turn(heard("这样可以吗？"))).text == "对。"
    assert (await partner.turn(heard("嗯。"))).text == "请讲。"
    assert (await partner.turn(heard(""))).text == "再见。"


async def test_every_turn_carries_the_style():
    partner = ScriptedPartner(HOLD)
    assert (await partner.turn([])).cues == {"style": "said fast, in one breath"}


def test_what_the_agent_said_since_is_all_of_it():
    told = [says("user", "a"), says("assistant", "b"), Message("assistant", ()), says("assistant", "c")]
    assert words_since(told) == "b\n\nc"
    assert words_since([says("user", "a")]) == ""
