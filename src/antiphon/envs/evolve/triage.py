"""What becomes of each task of a generation: kept, repaired, dropped, or replaced by harder ones (section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from antiphon.envs.changes import beneath, diff, parts_of
from antiphon.envs.check import check_task
from antiphon.envs.contract import replay, unmet
from antiphon.envs.evolve.labels import Labelled
from antiphon.envs.evolve.proposal import as_json
from antiphon.envs.task import Task, task_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from antiphon.envs.check import Found
    from antiphon.envs.domain import Domain

Fate = Literal["kept", "harden", "repaired", "dropped"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a task, and why. `task` is it as it goes on (repaired, perhaps); None when it is dropped."""

    fate: Fate
    why: str
    task: Task | None


def triage(domain: Domain, labels: Mapping[str, Labelled]) -> dict[str, Decision]:
    """A decision for every task. What never passes is first suspected of being broken itself."""
    return {task.task_id: _decide(domain, task, labels[task.task_id]) for task in domain.tasks}


def _decide(domain: Domain, task: Task, found: Labelled) -> Decision:
    counts = f"{found.passed} of {found.valid} passed"
    if found.label == "solved":
        return Decision("harden", f"solved: {counts}", task)
    defects = [] if found.label == "frontier" else check_task(domain, task)
    if not defects:
        why = {
            "frontier": f"frontier: {counts}",
            "failed": f"a valid task that shows a weakness: {counts}",
            "unknown": f"no label yet: {found.valid} valid rollouts, {found.invalid} invalid",
        }[found.label]
        return Decision("kept", why, task)
    repaired, done = repair(domain, task)
    first = f"{defects[0][0]}: {defects[0][1]}"
    if repaired is None:
        return Decision("dropped", f"{counts}, and it is broken: {first}", None)
    return Decision("repaired", f"{'; '.join(done)} (was: {first})", repaired)


def repair(domain: Domain, task: Task) -> tuple[Task | None, list[str]]:
    """A broken task mended mechanically, and what was done; None where that does not make it whole."""
    done: list[str] = []
    for mend in _MENDS:
        changes = mend(domain, task)
        if changes is not None:
            what, fields = changes
            task = task_of({**as_json(task), **fields}, task.task_id)
            done.append(what)
            if not check_task(domain, task):
                return task, done
    return None, done


Change = tuple[str, dict[str, Any]]


def _failing_steps(domain: Domain, task: Task) -> Change | None:
    """Steps of the reference that fail, and without which the expected state is reached."""
    failing = {field for field, _ in replay(domain, task).problems}
    steps = [
        step
        for at, step in enumerate(task.reference_tool_calls)
        if f"reference_tool_calls[{at}]" not in failing
    ]
    if not failing:
        return None
    without = replay(domain, msgspec.structs.replace(task, reference_tool_calls=tuple(steps)))
    if without.problems or unmet(task, without.final):
        return None
    return f"{len(failing)} failing reference steps left out", {
        "reference_tool_calls": msgspec.to_builtins(steps)
    }


def _expected_state(domain: Domain, task: Task) -> Change | None:
    """The expected state as the reference makes it, where the reference holds and misses what is written."""
    played = replay(domain, task)
    if task.expected_outcome != "write" or played.problems or not unmet(task, played.final):
        return None
    changes = diff(domain.initial(task), played.final)
    kept = {path: each for path, each in changes.items() if not beneath(path, domain.settings.audit)}
    if not kept:
        return None
    absent = [path for path, each in kept.items() if "to" not in each]
    expected: dict[str, Any] = {}
    for path, each in kept.items():
        if "to" in each:
            _put(expected, played.final, parts_of(path))
    return "expected state taken from the reference", {"expected_db": expected, "expected_absent": absent}


def _put(expected: dict[str, Any], final: Any, parts: list[str]) -> None:
    """The final value at a path, put into a subset; lists are whole, so one that changed is taken whole."""
    at, place = final, expected
    for number, part in enumerate(parts):
        at = cast("dict[str, Any]", at)[part]
        if number == len(parts) - 1 or not isinstance(at, dict):
            place[part] = at
            return
        place = place.setdefault(part, {})


def _clauses(domain: Domain, task: Task) -> Change | None:
    """Clauses that `rules.md` does not say; a refusal keeps at least one."""
    rules = " ".join(domain.rules.split()).casefold()
    kept = [each for each in task.clauses if " ".join(each.split()).casefold() in rules]
    if len(kept) == len(task.clauses) or (task.expected_outcome == "refusal" and not kept):
        return None
    return f"{len(task.clauses) - len(kept)} clauses left out that the rules do not say", {"clauses": kept}


def _facts(domain: Domain, task: Task) -> Change | None:
    """Facts of the script that the prompt does not tell."""
    lacking = {
        field for field, problem in check_task(domain, task) if "user_system_prompt does not say" in problem
    }
    if not lacking or task.script is None:
        return None
    facts = [each for at, each in enumerate(task.script.facts) if f"script.facts[{at}]" in lacking]
    told = "".join(
        f" {each.name}：{each.say}。" if task.language == "zh" else f" {each.name}: {each.say}."
        for each in facts
    )
    return f"{len(facts)} facts added to the prompt", {
        "user_system_prompt": f"{task.user_system_prompt}{told}"
    }


_MENDS: tuple[Callable[[Domain, Task], Change | None], ...] = (
    _failing_steps, _expected_state, _clauses, _facts,
)  # fmt: skip


def suggestions(failures: Iterator[tuple[str, Found]] | list[tuple[str, Found]], least: int = 3) -> list[str]:
    """Defects that come again and again in what one proposer makes: (proposer, defect) → lines that say where its
    template, or the check, wants looking at."""
    counted: dict[tuple[str, str], list[str]] = {}
    for proposer, (field, problem) in failures:
        counted.setdefault((proposer, field.split("[")[0]), []).append(problem)
    return [
        f"{proposer}: {len(problems)} proposals failed at {field}, the first with: {problems[0]}; look at its "
        "template, or at the check if these tasks are right"
        for (proposer, field), problems in sorted(counted.items(), key=lambda pair: -len(pair[1]))
        if len(problems) >= least
    ]
