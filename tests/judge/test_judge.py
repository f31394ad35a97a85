from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.errors import ModelError, UnavailableError
from antiphon.judge.judge import Ask, Judge, Verdict, verdicts
from antiphon.judge.prompt import Prompt
from antiphon.messages import says
from antiphon.models.ports import Chunk, Done, Request, Sampling, TextDelta

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

KNOWLEDGE = Prompt("knowledge", "{question}|{answer}|{response} 正确 错误", ("正确", "错误"))
SAFETY = Prompt("safety", "{question}|{response} 是 否", ("是", "否"))
SINGLE = Prompt("single_round", "{question}|{response}")
FIELDS = {"question": "首都？", "answer": "北京", "response": "是北京。"}


@dataclass
class Speaker:
    """A chat model that says what it is told to, and remembers what it was asked."""

    says: str | ModelError
    name: str = "scripted:judge"
    accepts = frozenset({"text"})
    gives = frozenset({"text"})
    asked: list[Request] = field(default_factory=list)
    running: int = 0
    most: int = 0

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        self.asked.append(request)
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        if isinstance(self.says, ModelError):
            raise self.says
        yield TextDelta(self.says, 1)
        yield Done("stop", 2)


class Kept(dict[str, Any]):
    def get_row(self, key: str) -> dict[str, Any] | None:
        return self.get(key)

    def put_row(self, key: str, row: dict[str, Any]) -> None:
        self[key] = row


async def test_a_yes_no_prompt_asks_for_one_of_its_words():
    chat = Speaker("正确")
    verdict = await Judge(chat).verdict(Ask(KNOWLEDGE, FIELDS))
    assert verdict == Verdict(True, "valid", "正确", None, KNOWLEDGE.label, "scripted:judge")
    assert chat.asked == [
        Request(
            (says("user", "首都？|北京|是北京。 正确 错误"),),
            want=frozenset({"text"}),
            sampling=Sampling(max_tokens=16),
            deadline_us=120_000_000,
            choices=("正确", "错误"),
        )
    ]


async def test_a_score_comes_from_the_bracket():
    verdict = await Judge(Speaker("合理。[4]")).verdict(Ask(SINGLE, FIELDS))
    assert verdict == Verdict(4.0, "valid", "合理。[4]", None, SINGLE.label, "scripted:judge")


async def test_an_answer_that_is_no_verdict_is_invalid_and_kept():
    verdict = await Judge(Speaker("难说")).verdict(Ask(KNOWLEDGE, FIELDS))
    assert verdict == Verdict(
        None, "invalid", "难说", "no verdict first: '难说'", KNOWLEDGE.label, "scripted:judge"
    )


async def test_the_same_question_is_asked_once():
    chat, kept = Speaker("错误"), Kept()
    first = await Judge(chat, answers=kept).verdict(Ask(KNOWLEDGE, FIELDS))
    second = await Judge(chat, answers=kept).verdict(Ask(KNOWLEDGE, FIELDS))
    assert (first.value, first.cached, second.value, second.cached) == (False, False, False, True)
    assert len(chat.asked) == 1


async def test_another_reply_prompt_or_judge_is_another_question():
    kept = Kept()
    chat = Speaker("错误")
    other = Prompt("knowledge", "{question}|{answer}|{response} 请写正确 错误", ("正确", "错误"))
    for ask in (Ask(KNOWLEDGE, FIELDS), Ask(KNOWLEDGE, {**FIELDS, "response": "上海"}), Ask(other, FIELDS)):
        await Judge(chat, answers=kept).verdict(ask)
    await Judge(Speaker("正确", name="scripted:other"), answers=kept).verdict(Ask(KNOWLEDGE, FIELDS))
    assert len(kept) == 4


async def test_an_empty_reply_is_not_judged():
    chat = Speaker("正确")
    verdict = await Judge(chat).verdict(Ask(KNOWLEDGE, {**FIELDS, "response": " \n"}))
    assert (verdict.value, verdict.status, verdict.problem) == (
        None, "invalid", "the reply has no words to judge",
    )  # fmt: skip
    assert chat.asked == []


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        (SINGLE, "the embedded judge does not score 1–5"),
        (SAFETY, "the embedded judge does not decide without a reference answer"),
        (replace(KNOWLEDGE, argues=True), "the embedded judge does not follow arguments or dialogues"),
        (
            replace(KNOWLEDGE, text=KNOWLEDGE.text + "{history}"),
            "the embedded judge does not follow arguments or dialogues",
        ),
    ],
)
async def test_a_weak_judge_is_not_offered_for_what_it_cannot_do(prompt: Prompt, why: str):
    chat = Speaker("[5]")
    judge = Judge(chat, references_only=True)
    assert judge.refusal(prompt) == why
    with pytest.raises(UnavailableError, match="give another judge"):
        await judge.verdict(Ask(prompt, FIELDS))
    assert await verdicts(judge, [Ask(prompt, FIELDS)]) == [
        Verdict(None, "unavailable", "", why, prompt.label, "scripted:judge, facts only")
    ]
    assert chat.asked == []


def test_a_weak_judge_is_offered_for_yes_or_no_with_a_reference():
    assert Judge(Speaker(""), references_only=True).refusal(KNOWLEDGE) is None


@pytest.mark.parametrize("transient", [True, False])
async def test_a_failed_call_is_an_invalid_row_and_is_not_kept(transient: bool):
    kept = Kept()
    judge = Judge(Speaker(ModelError("http://judge", "429", transient=transient)), answers=kept)
    assert await verdicts(judge, [Ask(KNOWLEDGE, FIELDS)]) == [
        Verdict(
            None, "invalid", "", "http://judge: 429", KNOWLEDGE.label, "scripted:judge", transient=transient
        )
    ]
    assert kept == {}


async def test_verdicts_keep_their_order_and_their_limit():
    chat = Speaker("正确")
    asks = [Ask(KNOWLEDGE, {**FIELDS, "response": f"回答{n}"}) for n in range(9)]
    found = await verdicts(Judge(chat), asks, in_flight=3)
    assert [verdict.value for verdict in found] == [True] * 9
    assert [request.messages[0].text for request in chat.asked] == [
        f"首都？|北京|回答{n} 正确 错误" for n in range(9)
    ]
    assert chat.most == 3
