"""Phrases here are in no set: they show that the signs are of the languages, not of the generator."""

from __future__ import annotations

import pytest

from antiphon.realtime.policy.addressing import ENOUGH, for_others, signs
from antiphon.realtime.turn_policy import Observation, Ruled, TurnState, Utterance

S = 1_000_000
ANSWER = "The castle has four towers, and the oldest was built in the twelfth century from local stone."
SPEAKING = TurnState("paused", agent_text=ANSWER, names=("Nova",))


def heard(text: str, *, overlapped: bool = True, recent: tuple[Ruled, ...] = ()) -> Observation:
    said = Utterance("u", 20 * S, 21 * S, enrolled=True, text=text, final=True, overlapped=overlapped)
    return Observation(22 * S, (said,), recent)


@pytest.mark.parametrize(
    "text",
    [
        "Your wallet is on the floor over there.",
        "Somebody left the oven on.",
        "I'm coming, just putting my shoes on.",
        "Have you fed the hamster?",
        "Your laptop is still in the hall.",
        "Ask him if he wants a sandwich.",
        "Careful, the floor is wet!",
        "Grandpa, lunch!",
        "Stop tickling your brother.",
        "See you on Monday then.",
        "你钱包掉地上了。",
        "烤箱谁开的？",
        "马上下来，我换双鞋。",
        "你遛狗了没有？",
        "小心，地上滑！",
        "别再打你弟弟了。",
        "谁去拿一下外卖？",
        "Could you zip us in?",
        "You're squashing the flowers.",
        "Is this umbrella yours?",
        "Which of you spilt the paint?",
        "He's been sick all night.",
        "We'd like to check out, please.",
        "Buckle up, we're off.",
        "Would you like another pancake?",
        "Text me once you've landed.",
        "你坐我们旁边吧。",
        "她又把颜料打翻了。",
        "谁把颜料弄洒了？",
        "我们退房，谢谢。",
        "再盛点汤吧。",
    ],
)
def test_what_only_people_in_the_room_can_mean_is_for_them(text: str):
    assert for_others(heard(text), SPEAKING) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Which tower is the oldest?",
        "And how much are the tickets?",
        "You said the twelfth century, are you sure?",
        "Could you give me the short version?",
        "Tell me about the kitchen of the castle instead.",
        "Nova, where did I put my wallet?",
        "No, I meant the other castle.",
        "Hold on a second.",
        "Please stop.",
        "Wait until I say lantern before you answer.",
        "门票多少钱？",
        "你刚才说的是哪一年？",
        "换个话题吧。",
        "能不能说得短一点？",
        "How do I get wax off the table?",
        "My radio makes a strange noise.",
        "My daughter wants to visit it, too.",
        "Remind me to ring my brother at six.",
        "Text Milan that the bus is late.",
        "Wednesday the fifth, not the sixth.",
        "Who took the first photograph of it?",
        "You forgot to mention the garden.",
        "桌上的蜡怎么去掉？",
        "我家收音机有杂音。",
        "六点提醒我给哥哥打电话。",
        "洗羽绒服用什么洗衣液？",
    ],
)
def test_what_leads_back_to_the_talk_is_for_the_agent(text: str):
    assert for_others(heard(text), SPEAKING) is None


def test_the_reason_names_every_sign_with_its_weight():
    seen = heard("Have you fed the cat?")
    found = signs(seen, SPEAKING)
    reason = for_others(seen, SPEAKING)
    assert reason is not None
    assert reason == "for somebody else: " + ", ".join(f"{each.what} {each.weight:+g}" for each in found)
    assert "asks what somebody does +2" in reason
    assert "asks -0.5" in reason
    assert sum(each.weight for each in found) >= ENOUGH
    assert [abs(each.weight) for each in found] == sorted((abs(each.weight) for each in found), reverse=True)


def test_a_thing_that_the_agent_speaks_of_is_no_thing_of_the_room():
    text = "The kettle is broken."
    assert for_others(heard(text), SPEAKING) is not None
    of_kettles = TurnState("paused", agent_text="A kettle boils water with a coil in its base.")
    assert for_others(heard(text), of_kettles) is None


def test_who_is_alone_with_a_silent_agent_speaks_to_it_unless_a_name_is_called():
    alone = heard("Pay the bill.", overlapped=False)
    visitor = Utterance("v", 5 * S, 6 * S, enrolled=False, speaker="q", text="Nice place.", final=True)
    watched = heard("Pay the bill.", overlapped=False, recent=(Ruled(visitor, addressed=False, aside=False),))
    assert for_others(alone, TurnState()) is None
    assert for_others(watched, TurnState()) is not None
    assert for_others(heard("Tom, pay the bill.", overlapped=False), TurnState()) is not None


def test_an_embodied_agent_lives_in_the_room():
    robot = TurnState("paused", agent_text=ANSWER, capabilities={"body": True})
    assert for_others(heard("Bring me my shoes."), SPEAKING) is not None
    assert for_others(heard("Bring me my shoes."), robot) is None


def test_no_words_are_for_nobody():
    assert for_others(heard(""), SPEAKING) is None
