"""A recital: the reference chain played with the words that the assertions ask for, and no model.

It shows that a task can be passed at all, and is what speed is measured on. It says *scripted* in every trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antiphon.envs.plan import concerns
from antiphon.envs.predicates import BUILT_IN
from antiphon.messages import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antiphon.envs.episode import Episode
    from antiphon.envs.task import Task
    from antiphon.trace import Trace

SYSTEM = "scripted:recital"


def recite(episode: Episode) -> Trace:
    """Play the reference of the episode's task from where it stands, and hang up."""
    task = episode.task
    script = task.script
    episode.say("user", script.opening if script else task.user_system_prompt)
    for question in _forms(task, "asked"):
        episode.say("assistant", f"{question}?")
    for number, step in enumerate(task.reference_tool_calls):
        if step.requestor == "assistant":
            for assertion in task.checks:
                if assertion.predicate != "confirmed_before" or not concerns(assertion.arguments, step):
                    continue
                episode.say("assistant", ", ".join(group[0] for group in assertion.arguments["forms"]) + "?")
                episode.say("user", (script.agrees if script else "") or "Yes.")
        episode.call(ToolCall(f"call_{number}", step.tool, step.arguments), step.requestor)
    for words in _forms(task, "says"):
        episode.say("assistant", f"{words}.")
    if script is not None and script.goodbye:
        episode.say("user", script.goodbye)
    return episode.finish("partner_hung_up", system=SYSTEM, partner=SYSTEM)


def can_recite(task: Task) -> bool:
    """Whether every assertion is one whose words are known: words for a judge and own predicates are not."""
    return all(each.predicate in BUILT_IN for each in task.checks)


def _forms(task: Task, predicate: str) -> Iterator[str]:
    """The words of all assertions of a kind: the first form of each group, said in one go."""
    for each in task.checks:
        if each.predicate == predicate:
            groups: list[Any] = each.arguments["forms"]
            yield ", ".join(group if isinstance(group, str) else group[0] for group in groups)
