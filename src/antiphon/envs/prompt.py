"""What an agent is told before an episode: the rules, today's date, and how tools and the call are used."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from antiphon.ids import hash_json
from antiphon.messages import Message, ToolSpec, says

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task

END_CALL = "end_call"
_END_CALL = ToolSpec(
    END_CALL,
    "Hang up. Use it only when the caller has nothing more to ask; callers usually hang up themselves.",
    {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
)
_USE: Mapping[str, str] = {
    "en": (
        "Today is {today}.\n\nYou are on a call. Use the tools to look things up and to act: call them instead of "
        "guessing, and never say that something is done before its tool has reported success. Tools that fail tell "
        "you why. Words that you write are said to the caller: one to three short spoken sentences, no lists, no "
        "markdown. Ask for what you do not know."
    ),
    "zh": (
        "今天是{today}。\n\n你正在通话中。查询和办理都用工具：不要猜测，工具报告成功之前不要说已经办好。工具失败时会说明原因。"
        "你写的话会说给来电者听：一到三句口语短句，不要列表，不要 Markdown。不知道的就问。"
    ),
}


def prompt_for(domain: Domain, task: Task) -> Message:
    """The system message: business rules first, then the date and how to work, in the task's language."""
    today = domain.initial(task).get("current_date", "unknown")
    return says("system", briefing(domain, today, task.language))


def briefing(domain: Domain, today: str, language: str) -> str:
    """The same words, for whoever has a date and a language instead of a task."""
    return f"{domain.rules}\n\n{_USE[language].format(today=today)}"


@cache
def prompt_version() -> str:
    """Changes whenever the words around the rules do."""
    return hash_json([dict(_USE), _END_CALL.description])[:8]


def agent_tools(domain: Domain, specs: tuple[ToolSpec, ...], *, may_hang_up: bool) -> tuple[ToolSpec, ...]:
    """The domain's tools, and `end_call` where the agent may hang up and the domain has none of its own."""
    return (*specs, _END_CALL) if may_hang_up and END_CALL not in domain.tools else specs
