from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.audio.clip import Clip
from antiphon.clock import VirtualClock
from antiphon.envs.continuations import Saved, continuations, go_on, moment_before, roll_out_saving
from antiphon.envs.decisions import decisions
from antiphon.envs.domain import Domain, open_domain
from antiphon.envs.plan import Flaw, script_tools
from antiphon.envs.reference import ReferenceChat
from antiphon.envs.reward import outcome_reward
from antiphon.envs.rollout import RolloutSettings, roll_out
from antiphon.envs.terms import terms_of
from antiphon.envs.verdict import check, decide
from antiphon.errors import DataError
from antiphon.messages import Kind, Speech, ToolCall
from antiphon.models.ports import Chat, Chunk, Done, Request, SpeechDelta, TextDelta, ToolAsk
from antiphon.models.scripted_instruments import ScriptedTranscriber
from antiphon.models.scripted_sound import tone
from antiphon.partner.user import ScriptedPartner
from antiphon.trace import Trace
from tests.envs.desk import LEND, open_desk

SETTINGS = RolloutSettings()
TASK = "write_hold_flex_basic"
CARD = {"tool": "renew_card", "arguments": {"member": "4711"}, "requestor": "user"}
BY_PARTNER = LEND | {
    "task_id": "card_first",
    "expected_db": {"members": {"4711": {"card": "valid"}}, **LEND["expected_db"]},
    "reference_tool_calls": [LEND["reference_tool_calls"][0], CARD, LEND["reference_tool_calls"][1]],
    "script": {
        "opening": "Emma, please. 4711.",
        "acts": [{"tool": "renew_card", "asked": ["renew"], "say": "Renewed.", "arguments": {"member": "4711"}}],
        "done": ["L101"], "goodbye": "Bye.",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def desk() -> Domain:
    return open_domain("flight_search_desk")


def partner_of(domain: Domain, task: str) -> ScriptedPartner:
    found = domain.task(task)
    return ScriptedPartner(script_tools(found), found.language)


async def saving(
    domain: Domain, task: str = TASK, flaw: Flaw | None = None, system: Chat | None = None
) -> tuple[Trace, tuple[Saved, ...]]:
    found = domain.task(task)
    chat = system or ReferenceChat(domain, found, flaw)
    return await roll_out_saving(
        domain, found, chat, partner_of(domain, task), SETTINGS, seed=3, trial=0, clock=VirtualClock()
    )


async def on(domain: Domain, saved: Saved, task: str = TASK, system: Chat | None = None) -> Trace:
    found = domain.task(task)
    return await go_on(
        saved, domain, found, system or ReferenceChat(domain, found), partner_of(domain, task), SETTINGS,
        seed=3, trial=0, clock=VirtualClock(),
    )  # fmt: skip


def without_origin(trace: Trace) -> Trace:
    return replace(trace, meta={name: value for name, value in trace.meta.items() if name != "moment"})


async def test_saving_moments_changes_nothing_in_the_episode(desk: Domain):
    trace, saved = await saving(desk)
    plain = await roll_out(
        desk, desk.task(TASK), ReferenceChat(desk, desk.task(TASK)), partner_of(desk, TASK), SETTINGS,
        seed=3, trial=0, clock=VirtualClock(),
    )  # fmt: skip
    assert trace == plain
    assert [each.milestone for each in saved] == [1, 2]


async def test_going_on_from_a_moment_alike_gives_the_very_same_trace(desk: Domain):
    trace, saved = await saving(desk)
    for each in saved:
        again = await on(desk, each)
        assert without_origin(again) == trace
        assert again.meta["moment"] == {
            "id": each.id,
            "step": each.step,
            "milestone": each.milestone,
            "trial": 0,
        }


async def test_a_moment_is_rebuilt_from_a_kept_trace_whole(desk: Domain):
    trace, saved = await saving(desk)
    for each in saved:
        assert await moment_before(desk, desk.task(TASK), trace, each.step, partner_of(desk, TASK)) == each


async def test_with_tools_of_the_partner_moments_are_rebuilt_too(tmp_path: Path):
    desk = open_desk(tmp_path, BY_PARTNER)
    trace, saved = await saving(desk, "card_first")
    assert [each.milestone for each in saved] == [1, 2, 3]
    for each in saved:
        assert (
            await moment_before(
                desk, desk.task("card_first"), trace, each.step, partner_of(desk, "card_first")
            )
            == each
        )
        assert without_origin(await on(desk, each, "card_first")) == trace


@pytest.mark.parametrize("flaw", ["extra_write", "claims_success", "missing_write"])
async def test_an_earlier_failure_is_continued_well_from_before_the_mistake(desk: Domain, flaw: Flaw):
    trace, _ = await saving(desk, flaw=flaw)
    terms = terms_of(desk, desk.task(TASK))
    failed = outcome_reward(terms, trace, decide(check(terms.contract, trace)))
    start = decisions(trace)[0].begin
    saved = await moment_before(desk, desk.task(TASK), trace, start, partner_of(desk, TASK))
    better = await on(desk, saved)
    repaired = outcome_reward(terms, better, decide(check(terms.contract, better)))
    assert (failed.value, repaired.value) == (0.0, 1.0)
    assert repaired.level == "milestone"
    assert repaired.begin == start


class Either:
    """Once a tool has answered, plays on or hangs up, as its seed says."""

    name = "scripted:either"
    accepts: frozenset[Kind] = frozenset({"text"})
    gives: frozenset[Kind] = frozenset({"text"})

    def __init__(self, good: Chat) -> None:
        self.good = good

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        if request.messages[-1].role == "tool" and request.sampling.seed % 3 == 0:
            yield ToolAsk(ToolCall("end", "end_call", {}), 1)
            yield Done("tool_calls", 2)
            return
        async for chunk in self.good.stream(request):
            yield chunk


async def test_continuations_of_one_moment_share_a_group_and_differ_in_what_came_after(desk: Domain):
    _, saved = await saving(desk)
    task = desk.task(TASK)
    found = await continuations(
        saved[0], desk, task, Either(ReferenceChat(desk, task)), lambda: partner_of(desk, TASK), SETTINGS,
        count=8, seed=1, clock=VirtualClock,
    )  # fmt: skip
    assert [each.trial for each in found] == list(range(8))
    assert all(each.steps[: saved[0].step] == saved[0].moment.episode.steps for each in found)
    terms = terms_of(desk, task)
    rewards = [outcome_reward(terms, each, decide(check(terms.contract, each))) for each in found]
    assert {each.group for each in rewards} == {f"{terms.group}#{saved[0].id}"}
    assert {each.value for each in rewards} == {0.0, 1.0}
    assert saved[0].moment.episode.db == desk.initial(task)


async def test_a_partner_that_answers_otherwise_is_no_way_back(desk: Domain):
    trace, saved = await saving(desk)
    steps = (replace(trace.steps[0], text="Hello?"), *trace.steps[1:])
    with pytest.raises(DataError, match=r"the partner now says .* at step 0, and then said 'Hello\?'"):
        await moment_before(
            desk, desk.task(TASK), replace(trace, steps=steps), saved[0].step, partner_of(desk, TASK)
        )


async def test_a_step_inside_a_reply_is_no_moment(desk: Domain):
    trace, _ = await saving(desk)
    with pytest.raises(DataError, match="no reply begins at step 0; they begin at 1, "):
        await moment_before(desk, desk.task(TASK), trace, 0, partner_of(desk, TASK))


async def test_speech_is_rebuilt_from_its_clip(desk: Domain):
    trace, saved = await saving(desk)
    clip = Clip([0.0, 0.5], 16_000)
    spoken = replace(trace, steps=(replace(trace.steps[0], clip=clip.digest), *trace.steps[1:]))
    task, step = desk.task(TASK), saved[0].step
    found = await moment_before(desk, task, spoken, step, partner_of(desk, TASK), {clip.digest: clip})
    assert found.moment.heard_by_agent[1].parts == (Speech(clip),)
    with pytest.raises(DataError, match="is not at hand"):
        await moment_before(desk, task, spoken, step, partner_of(desk, TASK))


class Mute:
    """Speaks the reference's words without saying them."""

    name = "scripted:mute"
    accepts: frozenset[Kind] = frozenset({"text"})
    gives: frozenset[Kind] = frozenset({"speech"})

    def __init__(self, good: Chat) -> None:
        self.good = good

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        async for chunk in self.good.stream(request):
            if isinstance(chunk, TextDelta):
                yield SpeechDelta(tone(chunk.text, 0.1, 16_000), chunk.t_us)
            else:
                yield chunk


async def test_a_system_that_speaks_without_words_is_heard_in_every_continuation(desk: Domain):
    task, ears = desk.task(TASK), ScriptedTranscriber(VirtualClock())
    mute = Mute(ReferenceChat(desk, task))
    trace, saved = await roll_out_saving(
        desk, task, mute, partner_of(desk, TASK), SETTINGS, seed=3, trial=0, clock=VirtualClock(), ears=ears
    )
    plain, _ = await saving(desk)
    assert [each.text for each in trace.steps] == [each.text for each in plain.steps]
    again = await go_on(
        saved[0],
        desk,
        task,
        mute,
        partner_of(desk, TASK),
        SETTINGS,
        seed=3,
        trial=0,
        clock=VirtualClock(),
        ears=ears,
    )
    assert without_origin(again) == trace
    (other,) = await continuations(
        saved[0], desk, task, mute, lambda: partner_of(desk, TASK), SETTINGS,
        count=1, seed=3, clock=VirtualClock, ears=ears,
    )  # fmt: skip
    assert [each.text for each in other.steps] == [each.text for each in plain.steps]


@settings(max_examples=25, deadline=None)
@given(which=st.data())
def test_save_and_restore_give_equal_continuations_for_every_task(desk: Domain, which: st.DataObject):
    task = which.draw(st.sampled_from([each.task_id for each in desk.tasks]))
    trace, saved = asyncio.run(saving(desk, task))
    if saved:
        one = which.draw(st.sampled_from(saved))
        assert without_origin(asyncio.run(on(desk, one, task))) == trace
        assert asyncio.run(on(desk, one, task)) == asyncio.run(on(desk, one, task))
