from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.judge.judge import Ask, Judge, Opinion
from antiphon.judge.panel import Panel, decide
from antiphon.judge.prompt import Prompt
from antiphon.judge.uri import is_paid, open_judges
from antiphon.models.ports import Chunk, Done, Request, TextDelta

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

KNOWLEDGE = Prompt("knowledge", "{question}|{answer}|{response} 正确 错误", ("正确", "错误"))
SAFETY = Prompt("safety", "{question}|{response} 是 否", ("是", "否"))
SINGLE = Prompt("single_round", "{question}|{response}")
FIELDS = {"question": "首都？", "answer": "北京", "response": "是北京。"}


@dataclass
class Seeded:
    """A chat model that says one thing per seed."""

    says: tuple[str | ModelError, ...]
    name: str = "scripted:judge"
    accepts = frozenset({"text"})
    gives = frozenset({"text"})
    asked: list[Request] = field(default_factory=list)

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        self.asked.append(request)
        said = self.says[request.sampling.seed]
        if isinstance(said, ModelError):
            raise said
        yield TextDelta(said, 1)
        yield Done("stop", 2)


class Kept(dict[str, Any]):
    def get_row(self, key: str) -> dict[str, Any] | None:
        return self.get(key)

    def put_row(self, key: str, row: dict[str, Any]) -> None:
        self[key] = row


def panel(*says: str | ModelError) -> Panel:
    return Panel(tuple(Judge(Seeded((one,), f"scripted:{at}")) for at, one in enumerate(says)))


def opinions(*verdicts: bool | float | None) -> tuple[Opinion, ...]:
    return tuple(
        Opinion(
            "j", at, verdict, "", "invalid" if verdict is None else "valid", None if verdict else "no verdict"
        )
        for at, verdict in enumerate(verdicts)
    )


async def test_the_majority_decides_and_every_answer_is_kept():
    verdict = await panel("正确", "错误", "正确").verdict(Ask(KNOWLEDGE, FIELDS))
    assert (verdict.value, verdict.status, verdict.problem) == (True, "valid", None)
    assert verdict.opinions == (
        Opinion("scripted:0", 0, verdict=True, answer="正确"),
        Opinion("scripted:1", 0, verdict=False, answer="错误"),
        Opinion("scripted:2", 0, verdict=True, answer="正确"),
    )
    assert verdict.answer == "scripted:0: 正确\nscripted:1: 错误\nscripted:2: 正确"
    assert verdict.judge == "panel of 3: scripted:0 + scripted:1 + scripted:2"


async def test_a_tie_is_invalid():
    verdict = await panel("正确", "错误").verdict(Ask(KNOWLEDGE, FIELDS))
    assert (verdict.value, verdict.status, verdict.problem) == (None, "invalid", "a tie, 1 to 1")
    assert not verdict.transient


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ((4.0, 2.0, 5.0), 4.0),
        ((4.0, 5.0), 4.5),
        ((1.0, None, 2.0), 1.5),
        ((None, None, 5.0), None),
        ((True, None), None),
        ((True, None, True), True),
        ((True, True, False, False, False), False),
    ],
)
def test_the_rule(said: tuple[bool | float | None, ...], value: bool | float | None):
    assert decide(opinions(*said))[0] == value


async def test_who_does_not_answer_this_kind_of_prompt_stays_out():
    weak = Judge(Seeded(("是",), "weak"), references_only=True)
    strong = Judge(Seeded(("否",), "strong"))
    mixed = Panel((weak, strong))
    verdict = await mixed.verdict(Ask(SAFETY, FIELDS))
    assert (verdict.value, [opinion.status for opinion in verdict.opinions]) == (
        False,
        ["unavailable", "valid"],
    )
    assert mixed.refusal(SINGLE) is None
    with pytest.raises(UnavailableError, match="does not score"):
        await Panel((weak,)).verdict(Ask(SINGLE, FIELDS))


async def test_a_member_that_fails_for_now_makes_the_verdict_one_to_be_asked_again():
    busy = ModelError("scripted:1", "503: busy", transient=True)
    kept = Kept()
    good = Judge(Seeded(("正确",), "good"), answers=kept)
    verdict = await Panel((good, Judge(Seeded((busy,), "bad")))).verdict(Ask(KNOWLEDGE, FIELDS))
    assert (verdict.value, verdict.transient, verdict.status) == (None, True, "invalid")
    assert len(kept) == 1  # what was said already is not paid for again


async def test_repetitions_have_seeds_of_their_own_and_are_cached_apart():
    chat = Seeded(("正确", "错误", "错误"))
    kept = Kept()
    judge = Judge(chat, answers=kept, temperature=0.7)
    three = Panel(tuple(replace(judge, seed=seed) for seed in range(3)), repeat=3)
    verdict = await three.verdict(Ask(KNOWLEDGE, FIELDS))
    assert (verdict.value, verdict.cached) == (False, False)
    assert [(request.sampling.seed, request.sampling.temperature) for request in chat.asked] == [
        (0, 0.7), (1, 0.7), (2, 0.7),
    ]  # fmt: skip
    assert (await three.verdict(Ask(KNOWLEDGE, FIELDS))).cached
    assert (len(chat.asked), len(kept)) == (3, 3)
    assert three.name == "scripted:judge, 3 times at temperature 0.7"
    assert "scripted:judge (2): 错误" in verdict.answer


def test_uris_make_a_panel_and_one_alone_a_judge(tmp_path: Path):
    scripts = [tmp_path / f"{name}.jsonl" for name in ("a", "b")]
    for script in scripts:
        script.write_text('{"match": "*", "text": "是"}\n', encoding="utf-8")
    uris = [f"scripted:{script}" for script in scripts]
    clock = VirtualClock()
    alone = open_judges(uris[:1], 1, clock)
    assert isinstance(alone, Judge)
    assert (alone.seed, alone.temperature) == (0, 0.0)
    both = open_judges(uris, 2, clock)
    assert isinstance(both, Panel)
    assert [(member.name, member.seed) for member in both.members] == [
        (alone.name, 0), (alone.name, 1), (both.judges[1].name, 0), (both.judges[1].name, 1),
    ]  # fmt: skip
    with pytest.raises(ConfigError, match="given twice; to ask it again add --repeat 2"):
        open_judges([uris[0], uris[0]], 1, clock)
    with pytest.raises(ConfigError, match="at least 1, not 0"):
        open_judges(uris, 0, clock)


def test_what_runs_here_is_not_paid_for():
    assert [is_paid(uri) for uri in ("embedded:", "llama:qwen2.5-coder-1.5b", "scripted:x", "openai:gpt-4o")] == [
        False, False, False, True,
    ]  # fmt: skip
