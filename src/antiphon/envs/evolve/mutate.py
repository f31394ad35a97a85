"""The mutator: makes the next generation of a domain without a model, from what the last one solved.

Rules get limits and paragraphs to be read past, the pool gets distractors, and each solved task becomes a harder
one: a refusal where a new limit forbids it, else one beside a near duplicate, beside stale entries, or in the fuller
pool. The same seed gives the same generation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from antiphon.envs.evolve.limits import candidates, choose, language_of, refusal, standing
from antiphon.envs.evolve.pool import distractors, paragraphs
from antiphon.envs.evolve.proposal import Proposal, as_json
from antiphon.envs.evolve.records import near_duplicate, stale
from antiphon.envs.evolve.wording import SAID
from antiphon.errors import ConfigError
from antiphon.ids import rng

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from antiphon.envs.domain import Domain
    from antiphon.envs.evolve.limits import Limit
    from antiphon.envs.task import Task

BY = "mutator"
_GENERATION = re.compile(r"_g\d+(_[a-z]+\d*)?$")
# Which tags of failed tasks speak for a mutation.
_SPEAKS_FOR: Mapping[str, frozenset[str]] = {
    "stale": frozenset({"state", "date_edge", "rule"}),
    "near": frozenset({"similar_name", "similar_number", "spoken_number", "negation"}),
}


@dataclass(frozen=True, slots=True)
class Measure:
    """How much the mutator does: new limits, paragraphs to be read past, and harder tasks per solved one."""

    limits: int = 2
    paragraphs: int = 3
    per_task: int = 1

    def __post_init__(self) -> None:
        if self.limits < 0 or self.paragraphs < 0 or self.per_task < 1:
            raise ConfigError("limits and paragraphs are at least 0, harder tasks per solved one at least 1")


@dataclass(frozen=True, slots=True)
class Mutated:
    """A generation as proposed: new texts of `rules.md` and `tools.py`, and new tasks. `changes` says in words
    what is new in the domain, one line each; `touched` are the solved tasks that a new limit concerns."""

    rules: str
    tools: str
    proposals: tuple[Proposal, ...]
    changes: tuple[str, ...]
    touched: frozenset[str] = frozenset()


USUAL = Measure()


def base_name(name: str) -> str:
    """A name without its generation: `write_hold_g2_limit` is of `write_hold`."""
    return _GENERATION.sub("", name)


def mutate(  # noqa: PLR0913  what (4), guided by what, how much, and the draw
    domain: Domain,
    tools: str,
    solved: Sequence[Task],
    others: Sequence[Task],
    generation: int,
    *,
    guide: Mapping[str, int] | None = None,
    measure: Measure = USUAL,
    seed: int = 0,
) -> Mutated:
    """The next generation of a domain whose `tools.py` reads `tools`. `others` are kept as they are, so no limit
    touches them; `guide` says how often each tag stood on a failed rollout."""
    language = language_of(domain.rules)
    limits = _limits(domain, solved, others, measure.limits, seed)
    sentences = {limit: limit.sentence(language) for limit in limits}
    read_past = paragraphs(language, measure.paragraphs, rng(seed, "paragraphs", generation))
    drafts = {name: text for name, text in distractors(tools, domain, [*solved, *others]).items() if solved}
    names = _Names({task.task_id for task in domain.tasks}, generation)
    made = [
        proposal
        for task in solved
        for proposal in _harder(domain, task, sentences, drafts, names, guide or {}, measure, seed)
    ]
    lines = [SAID[language]["rules"], "", *(f"- {each}" for each in sentences.values())] if sentences else []
    texts = [domain.rules, *(["\n".join(lines)] if lines else []), *(read_past if solved else [])]
    changes = [f"new rule: {each}" for each in sentences.values()]
    changes += [f"distractor tool: {name}" for name in drafts]
    changes += [f"{len(read_past)} paragraphs to be read past"] if read_past and solved else []
    touched = {task.task_id for task in solved for each in limits if standing(each, domain, task) != "free"}
    return Mutated(
        "\n\n".join(texts) + "\n", tools + "".join(drafts.values()), tuple(made), tuple(changes), frozenset(touched)
    )  # fmt: skip


def _limits(
    domain: Domain, solved: Sequence[Task], others: Sequence[Task], count: int, seed: int
) -> list[Limit]:
    """Some limits, drawn; with all of them a task must be left that writes at all."""
    found = list(candidates(domain, solved, others))
    chosen = choose(found, count, [int(at) for at in rng(seed, "limits").permutation(len(found))])
    while len(chosen) > 1 and not any(_allowed_by_all(chosen, domain, task) for task in solved):
        chosen.pop()
    return chosen


def _allowed_by_all(limits: Sequence[Limit], domain: Domain, task: Task) -> bool:
    return {standing(each, domain, task) for each in limits} == {"allowed"}


class _Names:
    """Task ids that nobody has."""

    def __init__(self, taken: set[str], generation: int) -> None:
        self._taken = taken
        self._generation = generation

    def new(self, parent: str, what: str) -> str:
        """An id for a task made from a parent."""
        name = made = f"{base_name(parent)}_g{self._generation}_{what}"
        number = 1
        while made in self._taken:
            number += 1
            made = f"{name}{number}"
        self._taken.add(made)
        return made


def _harder(  # noqa: PLR0913, PLR0917  one task and all that may be done to it
    domain: Domain,
    task: Task,
    sentences: Mapping[Limit, str],
    drafts: Mapping[str, str],
    names: _Names,
    guide: Mapping[str, int],
    measure: Measure,
    seed: int,
) -> list[Proposal]:
    """The harder tasks that a solved one becomes, at most so many."""
    if any(standing(each, domain, task) == "mixed" for each in sentences):
        return []
    forbids = next((each for each in sentences if standing(each, domain, task) == "forbidden"), None)
    if forbids is not None:  # as it was it would be wrong now
        return [refusal(forbids, domain, task, sentences[forbids], names.new(task.task_id, "limit"))]
    found: list[Proposal] = []
    for what in _order(guide, rng(seed, "order", task.task_id)):
        make = stale if what == "stale" else near_duplicate
        if len(found) < measure.per_task:
            made = make(domain, task, names.new(task.task_id, what), rng(seed, what, task.task_id))
            found += [made] if made is not None else []
    if len(found) < measure.per_task and (crowded := _crowded(task, drafts, names)) is not None:
        found.append(crowded)
    edge = any(standing(each, domain, task) == "allowed" for each in sentences)
    return [_at_the_edge(each) if edge else each for each in found]


def _order(guide: Mapping[str, int], draw: np.random.Generator) -> list[str]:
    """The mutations of records, first the one that recorded failures speak for; drawn where they say nothing."""
    weights = {what: sum(guide.get(tag, 0) for tag in tags) for what, tags in _SPEAKS_FOR.items()}
    drawn = [list(weights)[int(at)] for at in draw.permutation(len(weights))]
    return sorted(drawn, key=lambda what: -weights[what])


def _crowded(task: Task, drafts: Mapping[str, str], names: _Names) -> Proposal | None:
    """The same task in a pool with distractors; None where none lies beside a tool that it needs."""
    needed = [step.tool for step in task.reference_tool_calls if f"draft_{step.tool}" in drafts]
    if not needed:
        return None
    found: dict[str, Any] = as_json(task) | {"task_id": names.new(task.task_id, "crowd")}
    found["tags"] = sorted({*task.tags, "distractor_tool"})
    steps: list[dict[str, Any]] = [
        {**step, "tool": f"draft_{step['tool']}"} if step["tool"] in needed else step
        for step in found["reference_tool_calls"]
    ]
    drafted = {"task": found | {"reference_tool_calls": steps}}
    return Proposal(found, task.task_id, "distractor_tool", BY, None, f"beside draft_{needed[0]}", drafted)


def _at_the_edge(proposal: Proposal) -> Proposal:
    """Allowed though a new limit is near: without such tasks, to refuse would always be right."""
    tags = sorted({*proposal.task.get("tags", ()), "limit"})
    return replace(proposal, task={**proposal.task, "tags": tags})
