from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import VirtualClock
from antiphon.envs.contract import contract_of
from antiphon.envs.domain import Domain
from antiphon.envs.episode import Episode
from antiphon.envs.rollout import Moment, Play, RolloutSettings
from antiphon.envs.task import Task
from antiphon.envs.verdict import check, decide
from antiphon.errors import ReplyError
from antiphon.messages import Message, Speech, ToolCall, ToolResult
from antiphon.models.ports import Request
from antiphon.models.scripted import Asked, Failure, Line, ScriptedChat, Tone
from antiphon.models.scripted_instruments import ScriptedTranscriber
from antiphon.partner.partner import PartnerTurn
from antiphon.partner.user import ScriptedPartner
from antiphon.trace import Step, Trace
from tests.envs.desk import open_desk
from tests.envs.play import Turns, agent, play

FIND = Asked("find", {"title": "Emma"}, "c1")
LEND = Asked("lend", {"member": "4711", "book": "B1"}, "c2")
GOOD = ("What is your number?", FIND, "Emma, for a week, shall I?", LEND, "It is loan L101.", "Bye then.")


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    return open_desk(tmp_path)


def told(trace: Trace) -> list[str]:
    return [f"{step.role}: {step.text if step.call is None else step.call['name']}" for step in trace.steps]


async def test_an_episode_is_played_turn_by_turn(domain: Domain):
    trace = await play(domain, agent(*GOOD), settings=RolloutSettings(max_turns=6))
    assert told(trace) == [
        "user: Emma, please.",
        "assistant: What is your number?",
        "user: 4711.",
        "assistant: find",
        "assistant: Emma, for a week, shall I?",
        "user: Yes.",
        "assistant: lend",
        "assistant: It is loan L101.",
        "user: I'm listening.",
        "assistant: Bye then.",
        "user: I'm listening.",
        "assistant: And?",
        "user: Yes.",
        "assistant: And?",
    ]  # fmt: skip
    assert (trace.stop, trace.why) == ("turn_limit", "6 turns of the agent")


async def test_the_scripts_goodbye_ends_it_and_its_trace_is_complete(domain: Domain):
    task = domain.task("lend_emma")
    assert task.script is not None
    ends = ScriptedPartner(type(task.script)(**{**_fields(task.script), "done": ("L101",)}))
    trace = await play(domain, agent(*GOOD), ends)
    assert told(trace)[-2:] == ["assistant: It is loan L101.", "user: Bye."]
    assert (trace.stop, trace.why, trace.system, trace.partner) == (
        "partner_hung_up", None, "scripted:agent", "scripted:partner",
    )  # fmt: skip
    assert sorted(trace.versions) == ["antiphon", "domain", "prompt", "task"]
    lent = trace.steps[6]
    assert lent.call == {"id": "c2", "name": "lend", "arguments": {"member": "4711", "book": "B1"}}
    assert lent.result == {"value": {"loan": "L101"}}
    assert "/loans/L101" in lent.changes
    assert [each["step"] for each in trace.meta["replies"]] == [1, 3, 4, 6, 7]
    assert trace.steps[1].t_us == 1_000_000
    assert decide(check(contract_of(domain, task), trace)).passed is True


def _fields(script: object) -> dict[str, object]:
    return {name: getattr(script, name) for name in script.__struct_fields__}  # pyright: ignore[reportAttributeAccessIssue]


class Listening(ScriptedChat):
    """A scripted chat that remembers what it was asked."""

    def __init__(self, *rows: Line) -> None:
        super().__init__("agent", rows, VirtualClock())
        self.requests: list[Request] = []

    async def stream(self, request: Request):
        self.requests.append(request)
        async for chunk in super().stream(request):
            yield chunk


async def test_the_agent_sees_rules_date_tools_and_results_and_the_partner_sees_words_only(domain: Domain):
    chat = Listening(Line(tool_calls=(FIND, LEND), times=1), Line(text="Done: L101."))
    partner = Turns(PartnerTurn("Emma, please."), PartnerTurn("Bye.", hang_up=True))
    await play(domain, chat, partner)
    first, second = chat.requests
    assert first.messages[0].role == "system"
    assert "A member may have at most one loan." in first.messages[0].text
    assert "Today is 2026-08-12." in first.messages[0].text
    assert [spec.name for spec in first.tools] == ["find", "lend", "give_back", "end_call"]
    assert second.messages[2] == Message("assistant", (ToolCall("c1", "find", {"title": "Emma"}), _lend()))
    assert second.messages[3] == Message(
        "tool",
        (ToolResult("c1", {"books": {"B1": {"title": "Emma"}}}), ToolResult("c2", {"loan": "L101"})),
    )
    assert [(m.role, m.text) for m in partner.saw[1]] == [
        ("user", "Emma, please."),
        ("assistant", "Done: L101."),
    ]


def _lend() -> ToolCall:
    return ToolCall("c2", "lend", {"member": "4711", "book": "B1"})


async def test_a_failed_call_is_shown_to_the_agent_and_may_be_made_again(domain: Domain):
    wrong = Asked("lend", {"member": "4711", "book": "B7"})
    trace = await play(domain, agent(wrong, Asked("fly", {}), LEND), Turns(PartnerTurn("Go.")))
    assert [step.result for step in trace.steps if step.call] == [
        {"value": {"error": "no book 'B7'"}, "error": "no book 'B7'"},
        {
            "value": {"error": "no tool 'fly'; there are: find, give_back, lend"},
            "error": "no tool 'fly'; there are: find, give_back, lend",
        },
        {"value": {"loan": "L101"}},
    ]


async def test_the_agent_may_hang_up_where_it_is_allowed_to(domain: Domain):
    trace = await play(
        domain, agent("Wait.", Asked("end_call")), Turns(PartnerTurn("Emma."), PartnerTurn("Yes?"))
    )
    assert (trace.stop, trace.why, told(trace)) == (
        "agent_hung_up", "it called end_call", ["user: Emma.", "assistant: Wait.", "user: Yes?"],
    )  # fmt: skip
    assert decide(check(contract_of(domain, domain.task("lend_emma")), trace)).passed is False
    kept = await play(
        domain, agent(Asked("end_call")), Turns(PartnerTurn("Emma.")), RolloutSettings(may_hang_up=False)
    )
    assert kept.steps[1].result is not None
    assert "no tool 'end_call'" in kept.steps[1].result["error"]


async def test_turns_and_calls_are_bounded(domain: Domain):
    turns = await play(domain, agent(), settings=RolloutSettings(max_turns=2))
    assert (turns.stop, turns.why) == ("turn_limit", "2 turns of the agent")
    calls = await play(domain, agent((FIND, FIND), (FIND, FIND)), settings=RolloutSettings(max_calls=3))
    assert (calls.stop, calls.why, len([step for step in calls.steps if step.call])) == (
        "tool_limit", "3 tool calls", 3,
    )  # fmt: skip


def never_after_lending(domain: Domain, task: Task, steps: Sequence[Step]) -> str | None:
    assert (domain.name, task.task_id) == ("desk", "lend_emma")
    lent = any(step.call is not None and step.call["name"] == "lend" for step in steps)
    return "it has lent" if lent else None


async def test_an_unreachable_milestone_stops_it(domain: Domain):
    settings = RolloutSettings(unreachable=never_after_lending)
    trace = await play(domain, agent(FIND, LEND, "More."), settings=settings)
    assert (trace.stop, trace.why, told(trace)[-1]) == ("unreachable", "it has lent", "assistant: lend")


async def test_a_partner_that_leaves_its_script_or_stops_early_makes_it_invalid(domain: Domain):
    left = await play(
        domain, agent(), Turns(PartnerTurn("I am an agent.", left_script="it spoke as the agent"))
    )
    assert (left.stop, left.why, told(left)) == (
        "partner_left_script", "it spoke as the agent", ["user: I am an agent."],
    )  # fmt: skip
    early = await play(domain, agent(), Turns(PartnerTurn("Bye.", hang_up=True, stopped_early="too soon")))
    assert (early.stop, early.why) == ("partner_stopped_early", "too soon")
    for trace in (left, early):
        assert decide(check(contract_of(domain, domain.task("lend_emma")), trace)).status == "invalid"


async def test_the_partners_own_tools_act_on_the_same_state_unseen_by_the_agent(domain: Domain):
    renew = ToolCall("p1", "renew_card", {"member": "4711"})
    partner = Turns(PartnerTurn("Emma."), PartnerTurn(tool_calls=(renew,)), PartnerTurn("Renewed."))
    chat = Listening(Line(text="Please renew your card.", times=1), Line(text="Thanks."))
    trace = await play(domain, chat, partner)
    step = trace.steps[2]
    assert (step.role, step.call, step.changes) == (
        "user",
        {"id": "p1", "name": "renew_card", "arguments": {"member": "4711"}},
        {"/members/4711/card": {"from": "old", "to": "valid"}},
    )
    assert partner.saw[2][-1] == Message("tool", (ToolResult("p1", {"card": "valid"}),))
    assert all(not isinstance(part, ToolCall) for m in chat.requests[1].messages for part in m.parts)


async def test_a_partner_that_only_uses_tools_has_left_its_script(domain: Domain):
    renew = PartnerTurn(tool_calls=(ToolCall("p", "renew_card", {"member": "4711"}),))
    trace = await play(domain, agent(), Turns(*[renew] * 20))
    assert (trace.stop, trace.why) == ("partner_left_script", "8 tool calls in a row and not a word")


async def test_a_model_that_cannot_be_had_is_an_invalid_episode(domain: Domain):
    broken = ScriptedChat("agent", [Line(error=Failure("gone", transient=True))], VirtualClock())
    trace = await play(domain, broken)
    assert (trace.stop, trace.why, trace.meta) == (
        "infrastructure", "scripted:agent: gone", {"replies": [], "transient": True},
    )  # fmt: skip


async def test_a_reply_without_words_or_calls_is_a_silent_turn(domain: Domain):
    silent = ScriptedChat("agent", [Line(text="")], VirtualClock())
    trace = await play(domain, silent)
    assert told(trace)[:3] == ["user: Emma, please.", "assistant: ", "user: Hello? Are you there?"]
    assert trace.stop == "partner_hung_up"


class Wordless(ScriptedChat):
    """Answers, with what is no reply."""

    async def stream(self, request: Request):
        raise ReplyError(self.name, "called tool 'lend' with arguments that are no JSON object: {")
        yield


async def test_an_answer_that_is_no_reply_is_the_systems_silence_and_not_the_lines(domain: Domain):
    trace = await play(domain, Wordless("agent", (), VirtualClock()))
    assert told(trace)[:3] == ["user: Emma, please.", "assistant: ", "user: Hello? Are you there?"]
    assert trace.steps[1].cues == {"problem": "called tool 'lend' with arguments that are no JSON object: {"}
    assert trace.stop == "partner_hung_up"
    verdict = decide(check(contract_of(domain, domain.task("lend_emma")), trace))
    assert (verdict.status, verdict.passed) == ("valid", False)


async def test_a_spoken_turn_reaches_the_agent_as_sound_without_its_words(domain: Domain):
    clip = Clip([0.1] * 1600, 16_000)
    spoken = PartnerTurn("Emma.", clip=clip, cues={"speech": "synthetic speech"})
    chat = Listening(Line(text="Yes?", audio=Tone(0.1), heard="Emma"))
    sounds: dict[str, Clip] = {}
    trace = await play(domain, chat, Turns(spoken), sounds=sounds)
    assert chat.requests[0].messages[1] == Message("user", (Speech(clip),))
    said, answered, _ = trace.steps
    assert (said.text, said.clip, said.cues) == ("Emma.", clip.digest, {"speech": "synthetic speech"})
    assert (answered.text, answered.cues) == ("Yes?", {"heard": "Emma"})
    assert list(sounds) == [said.clip, answered.clip]


async def test_speech_without_words_needs_ears(domain: Domain):
    mute = ScriptedChat("agent", [Line(audio=Tone(0.1))], VirtualClock())
    trace = await play(domain, mute, Turns(PartnerTurn("Emma.")))
    assert (trace.stop, trace.why) == (
        "infrastructure", "scripted:agent: speaks without saying its words; name a recogniser with --transcriber",
    )  # fmt: skip
    ears = ScriptedTranscriber(VirtualClock(), default="I hear")
    heard = await play(domain, mute, Turns(PartnerTurn("Emma.")), ears=ears)
    assert told(heard)[1] == "assistant: "  # a scripted tone says the words it carries: none


async def test_a_moment_can_be_gone_on_from_several_times(domain: Domain):
    task = domain.task("lend_emma")
    moments: dict[int, Moment] = {}

    def build(chat: ScriptedChat, watch: Callable[[Play], None] | None = None) -> Play:
        assert task.script is not None
        settings, clock = RolloutSettings(max_turns=4), VirtualClock()
        partner = ScriptedPartner(task.script)
        return Play(Episode(domain, task, clock), chat, partner, settings, clock, seed=1, watch=watch)

    first = build(agent(*GOOD[:4]), lambda play: moments.update({len(play.episode.steps): play.save()}))
    whole = await first.run()
    assert list(moments) == [2, 4, 5, 7, 8, 10]
    for at, rest in ((4, GOOD[2:4]), (5, GOOD[3:4]), (7, ())):
        for _ in range(2):
            again = build(agent(*rest))
            again.restore(moments[at])
            assert await again.run() == whole
    other = build(agent("No."))
    other.restore(moments[5])
    trace = await other.run()
    assert told(trace)[5:7] == ["user: Yes.", "assistant: No."]
    assert trace.steps[:5] == whole.steps[:5]
