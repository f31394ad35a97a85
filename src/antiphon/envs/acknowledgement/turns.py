"""Tool-call turns: the replies of an agent that call tools, with the words said before the calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.envs.decisions import decisions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antiphon.messages import ToolSpec
    from antiphon.trace import Trace


@dataclass(frozen=True, slots=True)
class ToolTurn:
    """One tool-call turn. `begin` is its first step in the trace, `number` counts from 1 over the dialogue and
    `of_request` since the partner last spoke; `heard` is what the partner said last."""

    begin: int
    number: int
    of_request: int
    tools: tuple[str, ...]
    slow: bool
    text: str
    heard: str


def tool_turns(trace: Trace, specs: Mapping[str, ToolSpec]) -> tuple[ToolTurn, ...]:
    """The tool-call turns of a trace, in order. A turn is slow when any of its tools says so (`ToolSpec.slow`)."""
    found: list[ToolTurn] = []
    spoke_at = -1
    of_request = 0
    for decision in decisions(trace):
        calls = decision.proposal.calls
        said = [at for at in range(decision.begin) if trace.steps[at].role == "user" and trace.steps[at].text]
        if said and said[-1] != spoke_at:
            spoke_at, of_request = said[-1], 0
        if not calls:
            continue
        of_request += 1
        names = tuple(call.name for call in calls)
        slow = any(name in specs and specs[name].slow for name in names)
        heard = (trace.steps[said[-1]].text or "") if said else ""
        found.append(
            ToolTurn(decision.begin, len(found) + 1, of_request, names, slow, decision.proposal.text, heard)
        )
    return tuple(found)
