from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon import __version__
from antiphon.clock import VirtualClock
from antiphon.envs.domain import Domain, read_domain
from antiphon.envs.episode import Episode, EpisodeTools, snapshot_of
from antiphon.jsonl import from_row, to_row
from antiphon.messages import ToolCall, ToolResult
from antiphon.trace import Trace
from tests.envs.desk import DB, write

LENDING = ToolCall("c1", "lend", {"member": "4711", "book": "B1"})


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    domain, _ = read_domain(write(tmp_path_factory.mktemp("desk")))
    assert domain is not None
    return domain


def test_a_trace_holds_words_calls_results_changes_and_times(desk: Domain):
    clock = VirtualClock()
    episode = Episode(desk, desk.task("lend_emma"), clock)
    episode.say("user", "Emma, please.", clip="ab", cues={"style": "fast"})
    clock.advance_us(5)
    assert episode.call(LENDING) == ToolResult("c1", {"loan": "L101"}, None)
    clock.advance_us(7)
    refused = episode.call(ToolCall("c2", "renew_card", {"member": "0"}), "user")
    assert refused == ToolResult("c2", {"error": "no member '0'"}, "no member '0'")
    trace = episode.finish("partner_hung_up", seed=3, trial=1, system="s", partner="p")
    assert to_row(trace) == {
        "kind": "trace", "v": 2, "task": "lend_emma", "trial": 1, "seed": 3, "system": "s", "partner": "p",
        "steps": [
            {"t_us": 0, "role": "user", "text": "Emma, please.", "clip": "ab", "cues": {"style": "fast"}},
            {
                "t_us": 5, "role": "assistant",
                "call": {"id": "c1", "name": "lend", "arguments": {"member": "4711", "book": "B1"}},
                "result": {"value": {"loan": "L101"}},
                "changes": {
                    "/loans/L101": {"to": {"member": "4711", "book": "B1", "weeks": 1}},
                    "/log/0": {"to": {"did": "lend", "loan": "L101"}},
                },
            },
            {
                "t_us": 12, "role": "user",
                "call": {"id": "c2", "name": "renew_card", "arguments": {"member": "0"}},
                "result": {"value": {"error": "no member '0'"}, "error": "no member '0'"},
            },
        ],
        "stop": "partner_hung_up",
        "versions": {"antiphon": __version__, "domain": desk.version, "task": desk.task("lend_emma").version},
        "domain": "desk",
    }  # fmt: skip
    assert from_row(to_row(trace), Trace) == trace


def test_each_side_has_its_own_tools_on_the_same_state(desk: Domain):
    episode = Episode(desk, desk.task("lend_emma"), VirtualClock())
    assert [spec.name for spec in episode.specs("user")] == ["renew_card"]
    assert episode.call(ToolCall("c", "renew_card", {"member": "4711"})).error == (
        "no tool 'renew_card'; there are: find, give_back, lend"
    )
    episode.call(ToolCall("c", "renew_card", {"member": "4711"}), "user")
    assert episode.db["members"]["4711"]["card"] == "valid"


async def test_other_parts_drive_it_as_a_toolbox(desk: Domain):
    episode = Episode(desk, desk.task("lend_emma"), VirtualClock())
    tools = EpisodeTools(episode)
    assert [spec.name for spec in tools.specs()] == ["find", "lend", "give_back"]
    assert [each async for each in tools.call(LENDING)] == [ToolResult("c1", {"loan": "L101"}, None)]
    assert len(episode.steps) == 1


def test_times_go_on_from_a_snapshot(desk: Domain):
    clock = VirtualClock()
    episode = Episode(desk, desk.task("lend_emma"), clock)
    clock.advance_us(10)
    episode.say("user", "one")
    moment = episode.snapshot()
    clock.advance_us(1000)
    episode.restore(moment)
    clock.advance_us(5)
    episode.say("user", "two")
    assert [step.t_us for step in episode.steps] == [10, 15]


def test_a_moment_is_rebuilt_from_the_steps_of_a_kept_trace(desk: Domain):
    episode = Episode(desk, desk.task("lend_emma"), VirtualClock())
    episode.call(LENDING)
    episode.call(ToolCall("c2", "give_back", {"loan": "L9"}))
    trace = from_row(to_row(episode.finish("turn_limit")), Trace)
    rebuilt = snapshot_of(desk, episode.task, trace.steps)
    assert rebuilt.db == episode.db
    assert snapshot_of(desk, episode.task, trace.steps[:1]).db["loans"].keys() == {"L9", "L101"}


ACTIONS = st.one_of(
    st.tuples(st.just("find"), st.fixed_dictionaries({"title": st.sampled_from(["Emma", "x", ""])})),
    st.tuples(
        st.just("lend"),
        st.fixed_dictionaries(
            {"member": st.sampled_from(["4711", "4712", "9"]), "book": st.sampled_from(["B1", "B2", "B3"])}
        ),
    ),
    st.tuples(
        st.just("give_back"), st.fixed_dictionaries({"loan": st.sampled_from(["L9", "L100", "L101", "L102"])})
    ),
    st.tuples(st.just("nonsense"), st.just({})),
)


def _play(episode: Episode, actions: list[tuple[str, dict[str, Any]]]) -> None:
    for number, (name, arguments) in enumerate(actions):
        episode.call(ToolCall(f"c{number}", name, arguments))


@settings(max_examples=100, deadline=None, database=None, derandomize=True)
@given(st.lists(ACTIONS, max_size=6), st.lists(ACTIONS, max_size=6))
def test_state_never_leaks_between_episodes(
    desk: Domain, one: list[tuple[str, dict[str, Any]]], other: list[tuple[str, dict[str, Any]]]
):
    task = desk.task("lend_emma")
    alone = Episode(desk, task, VirtualClock())
    _play(alone, one)
    first, second = Episode(desk, task, VirtualClock()), Episode(desk, task, VirtualClock())
    for at in range(max(len(one), len(other))):
        for episode, actions in ((first, one), (second, other)):
            if at < len(actions):
                episode.call(ToolCall(f"c{at}", *actions[at]))
    assert first.finish("turn_limit") == alone.finish("turn_limit")
    assert first.db == alone.db
    assert desk.dbs["main.json"] == DB
    first.reset()
    assert first.db == DB
    assert first.steps == ()


@settings(max_examples=100, deadline=None, database=None, derandomize=True)
@given(st.lists(ACTIONS, max_size=5), st.lists(ACTIONS, max_size=5), st.lists(ACTIONS, max_size=5))
def test_after_restoring_the_same_actions_give_the_same_trace(
    desk: Domain,
    before: list[tuple[str, dict[str, Any]]],
    then: list[tuple[str, dict[str, Any]]],
    detour: list[tuple[str, dict[str, Any]]],
):
    episode = Episode(desk, desk.task("lend_emma"), VirtualClock())
    _play(episode, before)
    moment = episode.snapshot()
    kept = copy.deepcopy(moment)
    _play(episode, then)
    straight = episode.finish("turn_limit")
    for _ in range(2):
        episode.restore(moment)
        _play(episode, detour)
    episode.restore(moment)
    _play(episode, then)
    assert episode.finish("turn_limit") == straight
    elsewhere = Episode(desk, desk.task("lend_emma"), VirtualClock())
    elsewhere.restore(moment)
    _play(elsewhere, then)
    assert elsewhere.finish("turn_limit") == straight
    assert moment == kept
