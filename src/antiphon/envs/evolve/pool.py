"""Mutations of the whole domain: distractor tools beside those that write, and rules that matter to nobody here.

"Distractor tools and additional policy context control task difficulty" (section 4.4).
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from antiphon.envs.contract import replay

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task

_PARAGRAPHS = Path(__file__).with_name("paragraphs.json")
_TOOL = '''

def {name}{signature}:
    """{description}{arguments}
    """
    return {{"draft": {{{values}}}, "stored": False}}
'''
_DESCRIPTION = "Prepare {tool} as a draft for a colleague to look at. Nothing is stored and nothing is done."


def writing_tools(domain: Domain, tasks: Sequence[Task]) -> list[str]:
    """The agent's tools with which references write, in the order of the domain."""
    found: set[str] = set()
    for task in tasks:
        for step, done in zip(task.reference_tool_calls, replay(domain, task).outcomes, strict=True):
            if done.changes and step.requestor == "assistant":
                found.add(step.tool)
    return [name for name in domain.tools if name in found]


def distractors(source: str, domain: Domain, tasks: Sequence[Task]) -> dict[str, str]:
    """For each tool that writes one beside it that takes the same and only drafts: name → its source.

    An agent that takes the draft for the deed claims what is not true, and misses the expected state. Only the
    text of `tools.py` is read; nothing is run.
    """
    functions = {each.name: each for each in ast.parse(source).body if isinstance(each, ast.FunctionDef)}
    taken = {*domain.tools, *domain.partner_tools, *functions, *(task.asks_for for task in domain.tasks)}
    found: dict[str, str] = {}
    for tool in writing_tools(domain, tasks):
        name = f"draft_{tool}"
        if tool in functions and name not in taken:
            found[name] = _draft(functions[tool], name)
    return found


def _draft(function: ast.FunctionDef, name: str) -> str:
    parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs][1:]
    returns = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    return _TOOL.format(
        name=name,
        signature=f"({ast.unparse(function.args)}){returns}",
        description=_DESCRIPTION.format(tool=function.name.replace("_", " ")),
        arguments="\n".join(["", *_arguments(ast.get_docstring(function) or "")]),
        values=", ".join(f'"{each.arg}": {each.arg}' for each in parameters),
    )


def _arguments(documented: str) -> Iterator[str]:
    """The `Args:` part of a docstring as it stands."""
    lines = documented.splitlines()
    begin = next(
        (at for at, line in enumerate(lines) if line.strip() in ("Args:", "Arguments:", "参数：")), None
    )
    if begin is not None:
        yield ""
        yield from (f"    {line}".rstrip() for line in lines[begin:] if line.strip())


def paragraphs(language: str, count: int, rng: np.random.Generator) -> list[str]:
    """Rules that no task depends on, to be read past."""
    listed = msgspec.json.decode(_PARAGRAPHS.read_bytes(), type=dict[str, list[str]])[language]
    order = rng.permutation(len(listed))[:count]
    return [listed[at] for at in sorted(int(each) for each in order)]
