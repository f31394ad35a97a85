"""What a scored run amounts to: pass^k and pass@k over all tasks, per outcome and per tag, with every episode counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antiphon.envs.run import EnvFolder
from antiphon.envs.scoring import read_verdicts
from antiphon.envs.trials import reliability
from antiphon.jsonl import to_row
from antiphon.models.ports import is_scripted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from antiphon.envs.run import EnvManifest
    from antiphon.envs.verdict import Verdict
    from antiphon.stage.outcome import Failure
    from antiphon.stats import Summary
    from antiphon.trace import Trace

OUTCOMES = ("write", "refusal", "unsupported", "informational", "unlabelled")


@dataclass(frozen=True, slots=True)
class Group:
    """Tasks that belong together: all, an outcome, a tag. `sort` is "all", "outcome" or "tag".

    `pass_1` is the share of valid episodes that passed, averaged over tasks; `pass_all` (pass^k) and `pass_any`
    (pass@k) are there where there are k > 1 trials.
    """

    sort: str
    name: str
    tasks: int
    episodes: int
    passed: int
    invalid: int
    pass_1: Summary
    pass_all: Summary | None
    pass_any: Summary | None


@dataclass(frozen=True, slots=True)
class EnvResults:
    """A scored run. `resampled` counts the invalid episodes that were thrown away and played again."""

    folder: Path
    manifest: EnvManifest
    traces: tuple[Trace, ...]
    failures: tuple[Failure, ...]
    verdicts: tuple[Verdict, ...]
    groups: tuple[Group, ...]
    resampled: int

    @property
    def k(self) -> int:
        return self.manifest.trials

    @property
    def labels(self) -> tuple[str, ...]:
        """What every table of this run must say about where it comes from."""
        found: list[str] = []
        if is_scripted(self.manifest.system):
            found.append("scripted system: it knows the answers, and its verdicts say nothing about a model")
        if is_scripted(self.manifest.partner):
            found.append("scripted partner")
        if self.manifest.speech:
            settings = self.manifest.settings
            heard = [*settings.get("noise", ()), *(["telephone"] if settings.get("telephone") else [])]
            through = f", heard through {', '.join(heard)}" if heard else ""
            found.append(
                f"synthetic speech: every turn of the partner is spoken by {self.manifest.speech}{through}"
            )
        return tuple(found)


def load(path: Path) -> EnvResults:
    """A scored run. Raises ConfigError where there is none."""
    folder = EnvFolder(path)
    manifest = folder.read_manifest()
    traces, failures = folder.read_traces()
    verdicts = read_verdicts(path)
    return EnvResults(
        path, manifest, tuple(traces), tuple(failures), tuple(verdicts),
        tuple(groups(verdicts, manifest.trials)),
        sum(len(trace.meta.get("resampled", ())) for trace in traces),
    )  # fmt: skip


def groups(verdicts: Sequence[Verdict], k: int) -> Iterator[Group]:
    """All tasks, then each outcome, then each tag that occurs."""
    if not verdicts:
        return
    yield _group("all", "all", verdicts, k)
    for outcome in OUTCOMES:
        if some := [each for each in verdicts if each.outcome == outcome]:
            yield _group("outcome", outcome, some, k)
    for tag, _ in Counter(tag for each in verdicts for tag in each.tags).most_common():
        yield _group("tag", tag, [each for each in verdicts if tag in each.tags], k)


def _group(sort: str, name: str, verdicts: Sequence[Verdict], k: int) -> Group:
    several = k > 1
    return Group(
        sort, name,
        tasks=len({each.task for each in verdicts}),
        episodes=len(verdicts),
        passed=sum(each.passed is True for each in verdicts),
        invalid=sum(each.status == "invalid" for each in verdicts),
        pass_1=reliability(verdicts, 1),
        pass_all=reliability(verdicts, k) if several else None,
        pass_any=reliability(verdicts, k, "pass@k") if several else None,
    )  # fmt: skip


def row(results: EnvResults) -> dict[str, Any]:
    """The results as one JSON object."""
    return {
        "run": str(results.folder),
        "domain": results.manifest.domain,
        "system": results.manifest.system,
        "partner": results.manifest.partner,
        "labels": list(results.labels),
        "trials": results.k,
        "resampled": results.resampled,
        "stops": dict(Counter(trace.stop for trace in results.traces)),
        "groups": [
            {
                "sort": group.sort, "name": group.name, "tasks": group.tasks, "episodes": group.episodes,
                "passed": group.passed, "invalid": group.invalid,
                "pass_1": to_row(group.pass_1),
                "pass_all": to_row(group.pass_all) if group.pass_all else None,
                "pass_any": to_row(group.pass_any) if group.pass_any else None,
            }
            for group in results.groups
        ],
    }  # fmt: skip
