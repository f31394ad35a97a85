"""The report of one run as a self-contained page: what was measured, where it fails, how it was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antiphon.bench.folder import RunFolder
from antiphon.bench.page_figures import latency, pictures
from antiphon.bench.page_items import Fact, dated, lost, sections, worst
from antiphon.bench.page_sets import set_pictures
from antiphon.bench.page_table import summary_table
from antiphon.bench.panel_notes import notes
from antiphon.bench.suites.vocalbench_zh.figures import SUITE, figures
from antiphon.jsonl import write_text
from antiphon.report import page
from antiphon.report.tables import direction, unit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from antiphon.bench.results import Results

_LANGUAGES = {"zh": "Mandarin", "en": "English"}
_STATUSES = (
    ("flawed", "not perfect"),
    ("invalid", "invalid"),
    ("not judged", "not judged"),
    ("excluded", "excluded"),
    ("unavailable", "unavailable"),
)


def render(results: Results, *, embed_audio: bool = False) -> str:
    """The page as HTML. Its players point to `../clips/`, or carry their sound with `embed_audio`."""
    parts = sections(results, embed=embed_audio)
    present = {status for part in parts for view in part.views for status in view.statuses}
    return page.render(
        "antiphon.bench",
        "run.html",
        {
            "manifest": results.manifest,
            "title": results.system,
            "notices": (*results.manifest.warnings, *reused(results)),
            "scripted": results.manifest.system.startswith("scripted:")
            or results.manifest.system_uri.startswith("scripted:"),
            "date": dated(results.manifest.meta.get("made_at")),
            "languages": _languages(results),
            "count": len(results.items),
            "table": summary_table(results),
            "pictures": pictures(results),
            "figures": figures([results]) if results.manifest.suite == SUITE else None,
            "set": set_pictures(results),
            "latency": latency(results),
            "sections": parts,
            "worst": worst(parts),
            "lost": lost(parts),
            "statuses": [(value, label) for value, label in _STATUSES if value in present],
            "sortable": [
                info for info in results.metrics.values() if any(info in part.measures for part in parts)
            ],
            "how": _how(results),
            "definitions": _definitions(results),
            "metrics": results.metrics,
        },
    )


def write(results: Results, *, embed_audio: bool = False) -> Path:
    """Write `report/index.html` into the run's folder, all or nothing; gives back where it is."""
    path = RunFolder(results.folder).report
    write_text(path, render(results, embed_audio=embed_audio))
    return path


def reused(results: Results) -> list[str]:
    """A notice where replies come from earlier runs: their times do too."""
    many = sum(bool(take.meta.get("reused")) for take in results.takes.values())
    if not many:
        return []
    return [f"{many} of {len(results.takes)} replies are reused, times included; --fresh asks again."]


def _languages(results: Results) -> str:
    names = [_LANGUAGES.get(code, code) for code in dict.fromkeys(item.language for item in results.items)]
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _how(results: Results) -> list[Fact]:
    """The run's stamp: what decided its numbers, then everything else that was noted."""
    manifest = results.manifest
    facts = [
        Fact("system", manifest.system, code=True),
        Fact("asked for as", manifest.system_uri, code=True),
        Fact("suite", f"{manifest.suite}, {manifest.items} items"),
        Fact("scoring", manifest.scoring),
        Fact("seed", str(manifest.seed)),
        Fact("recogniser", manifest.transcriber, code=True),
        Fact("other scorers", ", ".join(manifest.scorers) or "none", code=bool(manifest.scorers)),
        Fact("judge", manifest.judge or "none: judged metrics are not judged", code=bool(manifest.judge)),
        Fact(
            "questions spoken by", manifest.synthesizer or "recordings only", code=bool(manifest.synthesizer)
        ),
    ]
    if manifest.instruments.repeat > 1 or manifest.instruments.panel:
        facts += [Fact(f"judges agree, {metric}", text) for metric, text in notes(RunFolder(results.folder))]
    return facts + _noted(manifest.meta)


def _noted(meta: Mapping[str, Any], above: str = "") -> list[Fact]:
    facts: list[Fact] = []
    for name, value in meta.items():
        label = f"{above} {name}".strip().replace("_", " ")
        if isinstance(value, dict):
            facts += _noted({str(key): entry for key, entry in value.items()}, label)
        elif isinstance(value, list):
            facts.append(Fact(label, ", ".join(map(str, value))))
        else:
            text = str(value)
            facts.append(Fact(label, text, code=len(text) >= 32 and " " not in text))
    return facts


def _definitions(results: Results) -> list[Fact]:
    found: list[Fact] = []
    for info in results.metrics.values():
        name = f"{info.title}, {unit(info)}" if unit(info) else info.title
        found.append(Fact(name, f"{info.what} {direction(info).capitalize()}."))
    return found
