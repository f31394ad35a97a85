"""Stories for tests, written as a few lines: (role, words) or (role, tool, arguments, result)."""

from __future__ import annotations

from typing import Any

from antiphon.envs.story import Story
from antiphon.envs.task import Task, task_of
from antiphon.messages import Role
from antiphon.trace import Step
from tests.envs.desk import DB, LEND

TASK: Task = task_of(LEND, "all.json")


def said(role: Role, text: str) -> Step:
    return Step(0, role, text)


def agent(text: str) -> Step:
    return said("assistant", text)


def partner(text: str) -> Step:
    return said("user", text)


def did(tool: str, *, error: str | None = None, role: Role = "assistant", **arguments: Any) -> Step:
    result = {"value": {"ok": True}} if error is None else {"value": {"error": error}, "error": error}
    return Step(0, role, call={"id": "c", "name": tool, "arguments": arguments}, result=result)


def story(*steps: Step) -> Story:
    return Story(steps, TASK, DB, DB)
