"""What must hold for every task of every domain that comes with Antiphon, however it is played."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from antiphon.clock import VirtualClock
from antiphon.envs.changes import look_up, same
from antiphon.envs.contract import Contract, contract_of, replay, unaudited
from antiphon.envs.domain import Domain, open_domain, own_domains
from antiphon.envs.episode import Episode
from antiphon.envs.execute import execute
from antiphon.envs.recital import recite
from antiphon.envs.task import ExpectedOutcome, ReferenceCall, Requestor, Task
from antiphon.envs.verdict import Verdict, check, decide
from antiphon.messages import Role, ToolCall
from antiphon.text.mentions import contains, fold
from antiphon.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterator

DOMAINS = {name: open_domain(name) for name in own_domains()}
TASKS = [(name, task) for name, domain in DOMAINS.items() for task in domain.tasks]
CONTRACTS = {(name, task.task_id): contract_of(DOMAINS[name], task) for name, task in TASKS}
every_task = pytest.mark.parametrize(
    ("name", "task"), TASKS, ids=[f"{name}-{task.task_id}" for name, task in TASKS]
)


def judged(name: str, task: Task, trace: Trace) -> Verdict:
    return decide(check(CONTRACTS[name, task.task_id], trace))


def opened(name: str, task: Task) -> Episode:
    episode = Episode(DOMAINS[name], task, VirtualClock())
    assert task.script is not None
    episode.say("user", task.script.opening)
    return episode


def call(episode: Episode, step: ReferenceCall) -> None:
    episode.call(ToolCall("c", step.tool, step.arguments), step.requestor)


@every_task
def test_the_reference_with_its_words_passes(name: str, task: Task):
    verdict = judged(name, task, recite(Episode(DOMAINS[name], task, VirtualClock())))
    assert (verdict.passed, verdict.reason) == (True, None)


@every_task
def test_an_agent_that_does_and_says_nothing_fails(name: str, task: Task):
    assert judged(name, task, opened(name, task).finish("partner_hung_up")).passed is False


@every_task
def test_an_agent_that_acts_without_a_word_fails(name: str, task: Task):
    episode = opened(name, task)
    for step in task.reference_tool_calls:
        call(episode, step)
    assert judged(name, task, episode.finish("partner_hung_up")).passed is False


@every_task
def test_an_agent_that_is_only_polite_fails(name: str, task: Task):
    episode = opened(name, task)
    for text in (
        "好的，我明白了，请稍等。",
        "Sure, let me see.",
        "已经为您办好了。",
        "That is done now. Anything else?",
    ):
        episode.say("assistant", text)
        episode.say("user", "Yes. 好的。")
    assert judged(name, task, episode.finish("partner_hung_up")).passed is False


@pytest.mark.parametrize(
    ("name", "task"),
    [(name, task) for name, task in TASKS if task.expected_outcome == "write"],
    ids=lambda value: value if isinstance(value, str) else value.task_id,
)
def test_an_agent_that_says_everything_and_does_nothing_fails_a_write(name: str, task: Task):
    episode = opened(name, task)
    for step in recite(Episode(DOMAINS[name], task, VirtualClock())).steps[1:]:
        if step.text:
            episode.say(step.role, step.text)
    verdict = judged(name, task, episode.finish("partner_hung_up"))
    assert verdict.passed is False
    assert verdict.state != ()


@every_task
def test_a_task_states_every_value_that_its_reference_writes(name: str, task: Task):
    domain = DOMAINS[name]
    final = replay(domain, task).final
    for path in CONTRACTS[name, task.task_id].permitted:
        there, value = look_up(final, path)
        if not there:
            assert any(path.startswith(absent) for absent in task.expected_absent), path
        elif not isinstance(value, dict | list) or not value:
            stated, expected = look_up(task.expected_db, path)
            assert stated, path
            assert same(expected, value), path


@every_task
def test_each_task_is_about_a_rule_and_is_told_apart_in_reports(name: str, task: Task):
    assert task.clauses
    assert task.tags
    assert task.script is not None
    assert task.script.done


@every_task
def test_a_write_does_not_end_at_words_that_are_said_before_it(name: str, task: Task):
    assert task.script is not None
    if task.expected_outcome != "write":
        return
    before = [
        task.script.opening,
        *(str(form) for fact in task.script.facts for form in (fact.say, fact.value)),
    ]
    for each in task.checks:
        if each.predicate == "confirmed_before":
            before += [form for group in each.arguments["forms"] for form in group]
    for text in before:
        assert [done for done in task.script.done if contains(fold(text), done)] == []


def test_the_page_about_the_domains_has_their_numbers_and_all_tags():
    page = (Path(__file__).resolve().parents[3] / "docs/domains.md").read_text("utf-8")
    for name, domain in DOMAINS.items():
        outcomes = Counter(task.expected_outcome for task in domain.tasks)
        languages = Counter(task.language for task in domain.tasks)
        row = [
            len(domain.tasks), *(outcomes[each] for each in get_args(ExpectedOutcome)[:4]),
            f"{languages['zh']} / {languages['en']}",
        ]  # fmt: skip
        assert f"| `{name}` | {' | '.join(map(str, row))} |" in page
    tags = {tag for _, task in TASKS for tag in task.tags}
    assert {tag for tag in tags if f"`{tag}`" not in page.split("## Tags")[1]} == set()


def extra_writes(domain: Domain, contract: Contract) -> list[ReferenceCall]:
    """Calls of other tasks that write where this one may not, after its reference."""
    final = replay(domain, contract.task).final
    calls = {repr(step): step for other in domain.tasks for step in other.reference_tool_calls}
    return [
        step
        for step in calls.values()
        if step.requestor == "assistant"
        and unaudited(execute(domain.tools, final, step.tool, step.arguments).changes, contract.audit)
        - contract.permitted
    ]


EXTRAS = {
    (name, task.task_id): extra_writes(DOMAINS[name], CONTRACTS[name, task.task_id]) for name, task in TASKS
}


@every_task
def test_each_task_can_be_spoilt_by_a_write_that_another_task_needs(name: str, task: Task):
    assert EXTRAS[name, task.task_id]


@settings(max_examples=300, deadline=None, database=None, derandomize=True)
@given(st.data())
def test_an_extra_unauthorised_write_fails_wherever_it_comes(data: st.DataObject):
    name, task = data.draw(st.sampled_from(TASKS))
    extra = data.draw(st.sampled_from(EXTRAS[name, task.task_id]))
    steps = recite(Episode(DOMAINS[name], task, VirtualClock())).steps
    at = data.draw(st.integers(1, len(steps)))
    episode = Episode(DOMAINS[name], task, VirtualClock())
    wrote: set[str] = set()
    for number, step in enumerate((*steps, None)):
        if number == at:
            call(episode, extra)
            wrote = unaudited(episode.steps[-1].changes, DOMAINS[name].settings.audit)
        if step is not None and step.call is not None:
            call(episode, ReferenceCall(step.call["name"], step.call["arguments"], requestor=side(step.role)))
        elif step is not None and step.text:
            episode.say(step.role, step.text)
    assume(wrote - CONTRACTS[name, task.task_id].permitted)
    verdict = judged(name, task, episode.finish("partner_hung_up"))
    assert verdict.passed is False
    assert verdict.writes != ()


def side(role: Role) -> Requestor:
    return "user" if role == "user" else "assistant"


def slips(domain: Domain, task: Task) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each writing call of the reference with one argument replaced by what another task gives, or a choice."""
    for at, (step, done) in enumerate(
        zip(task.reference_tool_calls, replay(domain, task).outcomes, strict=True)
    ):
        if step.requestor != "assistant" or not done.changes:
            continue
        properties: Any = domain.tools[step.tool].spec.parameters["properties"]
        for argument, schema in properties.items():
            given: list[Any] = [*schema.get("enum", ())]
            given += [
                other.arguments[argument]
                for each in domain.tasks
                for other in each.reference_tool_calls
                if argument in other.arguments
            ]
            kept = {repr(value): value for value in given if value != step.arguments.get(argument)}
            yield from ((at, {**step.arguments, argument: value}) for value in kept.values())


@pytest.mark.parametrize("name", DOMAINS)
def test_one_wrong_argument_of_a_write_fails(name: str):
    domain = DOMAINS[name]
    tried = 0
    for task in domain.tasks:
        for at, arguments in slips(domain, task):
            steps = iter(enumerate(task.reference_tool_calls))
            episode = Episode(domain, task, VirtualClock())
            for step in recite(Episode(domain, task, VirtualClock())).steps:
                if step.call is None:
                    episode.say(step.role, step.text or "")
                    continue
                number, reference = next(steps)
                wrong = number == at
                call(episode, msgspec.structs.replace(reference, arguments=arguments) if wrong else reference)
            assert judged(name, task, episode.finish("partner_hung_up")).passed is False, (
                task.task_id,
                arguments,
            )
            tried += 1
    assert tried > 20
