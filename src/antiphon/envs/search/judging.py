"""What a judge is asked about searches and answers, and the rewards that follow. One prompt file a question."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from antiphon.envs.search.reward import FINAL, QUALITIES, final_turn_reward, tool_turn_reward
from antiphon.judge.judge import Ask, verdicts
from antiphon.judge.prompt import Prompt, read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.envs.decisions import Proposal
    from antiphon.envs.search.data import SearchCase
    from antiphon.envs.search.reward import SearchReward
    from antiphon.judge.judge import Asked
    from antiphon.judge.judge import Verdict as Judged

_UNKNOWN_DAY = "The date does not matter."


@cache
def prompt(name: str) -> Prompt:
    """A question by its file name: query_accuracy, …, query_count, answer_faithfulness, …"""
    return read(Path(__file__).parent / "prompts" / f"{name}.txt")


def proposed(proposal: Proposal, tool: str, argument: str = "queries") -> tuple[str, ...] | None:
    """The queries of a turn, over all its search calls; None when it calls no search.

    The argument is a list of queries, or one query.
    """
    found: list[str] = []
    calls = [call for call in proposal.calls if call.name == tool]
    for call in calls:
        given = call.arguments.get(argument, ())
        many = cast("Sequence[object]", given) if isinstance(given, list | tuple) else [given]
        found += [str(each).strip() for each in many if str(each).strip()]
    return tuple(found) if calls else None


def quality_asks(case: SearchCase, queries: Sequence[str]) -> list[Ask]:
    """Four questions about the queries, in the order of `QUALITIES`."""
    listed = "\n".join(f"{number}. {query}" for number, query in enumerate(queries, start=1))
    fields = {"question": case.request, "criteria": _day(case), "response": listed}
    return [Ask(prompt(f"query_{name}"), fields) for name in QUALITIES]


def count_ask(request: str) -> Ask:
    """The question for n_ref. The judge sees the request and nothing that a model has proposed."""
    return Ask(prompt("query_count"), {"response": request})


def answer_asks(case: SearchCase, evidence: str, answer: str) -> list[Ask]:
    """Four questions about the answer, in the order of `FINAL`. `evidence` is what the search gave."""
    fields = {"question": case.request, "criteria": _day(case), "history": evidence, "response": answer}
    return [Ask(prompt(f"answer_{name}"), fields) for name in FINAL]


async def estimate_counts(judge: Asked, requests: Sequence[str]) -> dict[str, int]:
    """A judge's n_ref for each request that it answers."""
    answers = await verdicts(judge, [count_ask(each) for each in requests])
    pairs = zip(requests, answers, strict=True)
    return {request: round(answer.value) for request, answer in pairs if answer.value is not None}


async def judge_tool_turn(
    judge: Asked, case: SearchCase, queries: Sequence[str] | None, *, n_ref: int | None = None
) -> SearchReward:
    """The reward of the turn that may search: the judge is asked only where a search was right.

    `n_ref` is the case's own count unless given; a case without one is estimated by the judge.
    """
    if queries is None or not case.needed or not queries:
        return tool_turn_reward(case.needed, None if queries is None else len(queries))
    count = n_ref or case.count or (await estimate_counts(judge, [case.request])).get(case.request)
    answers = await verdicts(judge, quality_asks(case, queries))
    return tool_turn_reward(case.needed, len(queries), _by_name(QUALITIES, answers), count)


async def judge_final_turn(judge: Asked, case: SearchCase, evidence: str, answer: str) -> SearchReward:
    """The reward of the answer from evidence."""
    answers = await verdicts(judge, answer_asks(case, evidence, answer))
    return final_turn_reward(_by_name(FINAL, answers))


def _by_name(names: Sequence[str], answers: Sequence[Judged]) -> Mapping[str, float | None]:
    """Scores from 1 to 5 as shares from 0 to 1."""
    pairs = zip(names, answers, strict=True)
    return {name: None if answer.value is None else (float(answer.value) - 1) / 4 for name, answer in pairs}


def _day(case: SearchCase) -> str:
    return f"Today is {case.today}." if case.today else _UNKNOWN_DAY
