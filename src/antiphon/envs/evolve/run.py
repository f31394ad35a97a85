"""One turn of the loop: scored rollouts in, the next generation of the domain out (section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.envs.check import check_folder, check_task
from antiphon.envs.contract import replay
from antiphon.envs.domain import folder_of, open_domain
from antiphon.envs.evolve.assess import Assessed, Assessment, opener
from antiphon.envs.evolve.coverage import Coverage, cells, coverage, most_needed
from antiphon.envs.evolve.generation import (
    Lineage,
    Texts,
    generation_of,
    name_of,
    write_folder,
    write_lineage,
)
from antiphon.envs.evolve.labels import STRICT, label_all
from antiphon.envs.evolve.mutate import USUAL, mutate
from antiphon.envs.evolve.proposal import as_task
from antiphon.envs.evolve.triage import suggestions, triage
from antiphon.envs.hard_cases import collect, merge, read_cases, tags_by_failures, write_cases
from antiphon.envs.overlap import Evaluation, evaluation, task_overlap
from antiphon.envs.scoring import read_verdicts
from antiphon.errors import ConfigError, DataError
from antiphon.ids import hash_json
from antiphon.jsonl import read_records, to_row, write_rows
from antiphon.stage.folder import lock
from antiphon.stage.map import Settings, map_records
from antiphon.stage.progress import Silent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.envs.domain import Domain
    from antiphon.envs.evolve.labels import Labelled, Levels
    from antiphon.envs.evolve.mutate import Measure, Mutated
    from antiphon.envs.evolve.proposal import Proposal
    from antiphon.envs.evolve.triage import Decision
    from antiphon.envs.hard_cases import HardCase
    from antiphon.envs.verdict import Verdict
    from antiphon.stage.progress import Progress

_NOBODY = Silent()
_FOLDER_OF_CASES = "hard_cases.jsonl"


@dataclass(frozen=True, slots=True)
class Evolution:
    """One turn. `run` is a folder of scored rollouts of `domain`; the next generation goes below `out`.

    `system` plays every new task `trials` times to tell how hard it is (None: scripted agents). `against` names
    domains kept for evaluation. `proposals` are added to those of the mutator: a code agent's.
    """

    domain: str
    run: Path
    out: Path
    system: str | None = None
    partner: str = "scripted"
    trials: int = 4
    seed: int = 0
    levels: Levels = STRICT
    measure: Measure = USUAL
    against: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    most: int | None = None
    how: Settings = field(default_factory=Settings)


@dataclass(frozen=True, slots=True)
class Evolved:
    """What a turn gave. `folder` is the new generation, complete; `changes` what is new in its rules and tools."""

    folder: Path
    generation: int
    labels: Mapping[str, int]
    lineage: tuple[Lineage, ...]
    changes: tuple[str, ...]
    coverage: Coverage
    suggestions: tuple[str, ...]
    made: int
    reused: int


def cases_of(evolution: Evolution) -> list[HardCase]:
    """The hard cases that earlier generations and these rollouts show. Raises ConfigError like `evolve`."""
    domain, parent = open_domain(evolution.domain), folder_of(evolution.domain)
    found = collect(domain, _verdicts(evolution, domain), generation_of(parent) + 1)
    return merge(read_cases(parent / _FOLDER_OF_CASES), found)


async def evolve(evolution: Evolution, progress: Progress = _NOBODY) -> Evolved:
    """Label, decide, propose, assess, and write the next generation. Calling again goes on where a kill stopped it.

    Raises ConfigError for rollouts of another domain or version, and when no task would be left.
    """
    parent = folder_of(evolution.domain)
    domain = open_domain(evolution.domain)
    verdicts = _verdicts(evolution, domain)
    generation = generation_of(parent) + 1
    name = name_of(domain.name, generation)
    labels = label_all([task.task_id for task in domain.tasks], verdicts, evolution.levels)
    decisions = triage(domain, labels)
    kept_out = evaluation([open_domain(each) for each in evolution.against])
    cases = cases_of(evolution)
    with lock(evolution.out):
        write_rows(evolution.out / "labels.jsonl", (to_row(each) for each in labels.values()))
        write_cases(evolution.out / _FOLDER_OF_CASES, cases)
        mutated = _propose(evolution, domain, parent, decisions, generation, tags_by_failures(cases))
        proposals = [*mutated.proposals, *evolution.proposals][: evolution.most]
        draft = evolution.out / "draft" / name
        draft.parent.mkdir(parents=True, exist_ok=True)
        kept = [each.task for each in decisions.values() if each.task is not None and each.fate != "harden"]
        write_folder(
            parent, domain, Texts(mutated.rules, mutated.tools, kept, proposals), draft, every_db=True
        )
        done = await _assess(evolution, draft, proposals, kept_out, progress)
        assessed = read_records(evolution.out / "assessed.jsonl", Assessed)
        lineage = _Lineages(domain, generation, name, labels, decisions, kept_out, mutated.touched)
        folder = evolution.out / name
        rows = _finish(
            parent, domain, Texts(mutated.rules, mutated.tools, kept, proposals), assessed, lineage, folder
        )
        write_cases(folder / _FOLDER_OF_CASES, cases)
    final = open_domain(str(folder))
    counts = {
        label: sum(each.label == label for each in labels.values())
        for label in ("solved", "frontier", "failed", "unknown")
    }
    defects = [(each.mutation, (each.stopped_at, reason)) for each in assessed for reason in each.reasons[:1]]
    return Evolved(
        folder, generation, counts, tuple(rows), mutated.changes, coverage(final, final.tasks),
        tuple(suggestions(defects)), done[0], done[1],
    )  # fmt: skip


def _verdicts(evolution: Evolution, domain: Domain) -> list[Verdict]:
    """The verdicts of the rollouts, all of this domain as it is now."""
    found = read_verdicts(evolution.run)
    for each in found:
        version = each.versions.get("domain", domain.version)
        if each.domain != domain.name or version != domain.version:
            raise ConfigError(
                f"the rollouts in {evolution.run} are of {each.domain} {version}, and {evolution.domain} is "
                f"{domain.name} {domain.version}; play it again: antiphon envs run {evolution.domain} --out FOLDER"
            )
    return found


def _propose(
    evolution: Evolution,
    domain: Domain,
    parent: Path,
    decisions: Mapping[str, Decision],
    generation: int,
    guide: Mapping[str, int],
) -> Mutated:
    solved = [each.task for each in decisions.values() if each.fate == "harden" and each.task is not None]
    others = [each.task for each in decisions.values() if each.fate != "harden" and each.task is not None]
    others += [as_task(each) for each in evolution.proposals]  # made for the rules as they are
    changed = replace(domain, tasks=(*solved, *others))
    needed = most_needed(changed, solved, coverage(changed, others))
    tools = (parent / "tools.py").read_text("utf-8")
    return mutate(
        changed, tools, needed, others, generation, guide=guide, measure=evolution.measure, seed=evolution.seed
    )  # fmt: skip


async def _assess(
    evolution: Evolution, draft: Path, proposals: Sequence[Proposal], kept: Evaluation, progress: Progress
) -> tuple[int, int]:
    """Assess every proposal; how many were, and how many had been before."""
    assessment = Assessment(
        draft, evolution.system, evolution.partner, evolution.trials, evolution.seed, evolution.levels, kept=kept
    )  # fmt: skip
    fingerprint = {
        "domain": open_domain(str(draft)).version,
        "system": evolution.system,
        "partner": evolution.partner,
        "trials": evolution.trials,
        "seed": evolution.seed,
        "levels": [evolution.levels.solved_from, evolution.levels.failed_to, evolution.levels.least],
        "against": hash_json(sorted(" ".join(each) for each in kept.grams)),
    }
    done = await map_records(
        proposals, opener(assessment), key=_key, fingerprint=fingerprint, out=evolution.out / "assessed.jsonl",
        settings=evolution.how, progress=progress,
    )  # fmt: skip
    return done.made, done.reused


def _key(proposal: Proposal) -> str:
    """A proposal's name for good: one that changes is assessed anew."""
    return f"{proposal.task_id}@{hash_json(proposal.task)[:12]}"


@dataclass(frozen=True, slots=True)
class _Lineages:
    """Writes the lineage of each task of a generation."""

    domain: Domain
    generation: int
    name: str
    labels: Mapping[str, Labelled]
    decisions: Mapping[str, Decision]
    kept: Evaluation
    touched: frozenset[str]

    def old(self, task_id: str, now: Domain) -> Lineage:
        """A task of the last generation."""
        decision, found = self.decisions[task_id], self.labels[task_id]
        row = Lineage(
            task_id, self.generation, self.name, "kept", decision.why, task_id, by=self.domain.name,
            label=found.label, parent_domain=self.domain.version,
        )  # fmt: skip
        if decision.fate == "harden":
            return replace(row, use="retired")
        if decision.task is None:
            return replace(row, use="dropped")
        if defects := check_task(now, decision.task):
            why = f"{decision.why}; in the new rules and tools: {defects[0][0]}: {defects[0][1]}"
            return replace(row, use="dropped", why=why)
        if (near := task_overlap(decision.task, self.kept)) is not None:
            return replace(row, use="dropped", why=near)
        trained = decision.fate == "kept" and found.label in ("frontier", "failed")
        return replace(row, use="training" if trained else "kept")

    def new(self, each: Assessed) -> Lineage:
        """A task that was proposed."""
        why = f"{each.note}; {each.label} for {each.system}: {each.passed} of {each.valid} passed"
        if not each.admitted:
            why = f"{each.stopped_at}: {each.reasons[0]}"
        return Lineage(
            each.task, self.generation, self.name, "training" if each.admitted else "rejected", why.removeprefix("; "),
            each.parent, each.mutation, each.by, each.label, self.domain.version,
        )  # fmt: skip


def _finish(
    parent: Path,
    domain: Domain,
    texts: Texts,
    assessed: Sequence[Assessed],
    lineage: _Lineages,
    folder: Path,
) -> list[Lineage]:
    """Write the generation: what is kept and what was admitted. Raises ConfigError when nothing is, DataError when
    it does not hold as a whole."""
    draft = open_domain(str(folder.parent / "draft" / folder.name))
    rows = [lineage.old(task_id, draft) for task_id in lineage.decisions]
    rows += [lineage.new(each) for each in assessed]
    rows = _covered(draft, texts, rows, lineage)
    into = {each.task for each in rows if each.use in ("training", "kept")}
    going_on = [each.task for each in lineage.decisions.values() if each.task is not None]
    kept = [task for task in going_on if task.task_id in into]
    new = [each for each in texts.new if each.task_id in into]
    if not kept and not new:
        first = next((each.why for each in rows if each.use == "rejected"), "there are no proposals")
        raise ConfigError(
            f"no task is left in {folder.name}: {first}; see {folder.parent / 'assessed.jsonl'}"
        )
    write_folder(parent, domain, replace(texts, kept=kept, new=new), folder)
    write_lineage(folder, rows)
    report = check_folder(str(folder))
    if report.defects:
        raise DataError(folder, f"{len(report.defects)} defects, the first: {report.defects[0].line}")
    return rows


def _covered(draft: Domain, texts: Texts, rows: list[Lineage], lineage: _Lineages) -> list[Lineage]:
    """Solved tasks that write nothing and have no child stay where a cell would else be empty: no new rule touches
    them. They are not trained on."""
    into = {each.task for each in rows if each.use in ("training", "kept")}
    parents = {each.parent for each in rows if each.use == "training"}
    have = [task for task in texts.kept if task.task_id in into]
    have += [as_task(each) for each in texts.new if each.task_id in into]
    spare = [
        task
        for each in rows
        if each.use == "retired" and each.task not in parents
        and each.task not in lineage.touched
        and (task := lineage.decisions[each.task].task) is not None
        and not replay(draft, task).permitted
        and not check_task(draft, task)
    ]  # fmt: skip
    stay: dict[str, str] = {}
    while spare:
        lacking = coverage(draft, have).shortfalls()
        task = most_needed(draft, spare, coverage(draft, have))[0]
        fills = [cell for cell in cells(draft, task) if cell in lacking]
        if not fills:
            break
        stay[task.task_id] = ", ".join(fills)
        have.append(task)
        spare.remove(task)
    return [
        replace(each, use="kept", why=f"{each.why}; stays to cover: {stay[each.task]}") if each.task in stay else each
        for each in rows
    ]  # fmt: skip
