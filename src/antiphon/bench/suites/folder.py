"""A user's own suite: a folder of JSON files in the published format, and perhaps a `suite.toml`.

name = "clinic"                    # default: the folder's name
language = "zh"                    # default: each shape's own
metrics = ["keyword_accuracy"]     # default: what each shape allows

[subsets.triage]                   # only for files that are not named like a published one
like = "chinese_knowledge"
language = "en"
speech = "recorded"                # people spoke the questions; default: synthetic
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from antiphon.bench.suites.published import SHAPES, Shape, link_versions, read_subset, texts_folder
from antiphon.errors import ConfigError, DataError, unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from antiphon.bench.items import Item, Speech

LANGUAGES = ("zh", "en")


@dataclass(frozen=True, slots=True)
class FolderSuite:
    """What a folder holds; `like` maps each subset to the published file it is shaped like."""

    name: str
    items: tuple[Item, ...]
    like: Mapping[str, str]
    metrics: tuple[str, ...] = ()


def load_folder(folder: Path, subsets: Collection[str] | None = None) -> FolderSuite:
    """Read a suite. Raises ConfigError for a wrong folder or subset, DataError for a wrong file."""
    texts = texts_folder(folder)
    settings = _settings(folder / "suite.toml")
    declared = cast("dict[str, dict[str, str]]", settings.get("subsets", {}))
    names = sorted(path.stem for path in texts.glob("*.json"))
    if not names:
        raise ConfigError(f"{texts} holds no JSON files; a suite has one array of items a subset")
    for name in subsets or ():
        if name not in names:
            raise unknown("subset", name, names)
    like = {name: _like(texts / f"{name}.json", declared) for name in names}
    items: list[Item] = []
    for name in names:
        said = declared.get(name, {})
        items += read_subset(
            texts / f"{name}.json",
            name,
            _plain(SHAPES[like[name]]),
            audio=folder / "audio",
            language=said.get("language", settings.get("language")),
            speech=cast("Speech", said.get("speech", "synthetic")),
        )
    _unique(texts, items)
    linked = link_versions(items, [item for item in items if like[item.subset] == "single_round"])
    kept = tuple(item for item in linked if subsets is None or item.subset in subsets)
    metrics = tuple(cast("list[str]", settings.get("metrics", [])))
    return FolderSuite(settings.get("name", folder.resolve().name), kept, like, metrics)


def declared_subsets(folder: Path) -> dict[str, str]:
    """The subsets that a folder's `suite.toml` declares: name → the published file it is shaped like.

    Raises DataError for a wrong `suite.toml`, ConfigError for a shape that is none.
    """
    declared = cast("dict[str, dict[str, str]]", _settings(folder / "suite.toml").get("subsets", {}))
    return {name: _like(texts_folder(folder) / f"{name}.json", declared) for name in declared}


def _plain(shape: Shape) -> Shape:
    """A shape without the keys that only say where an item came from."""
    return Shape(
        shape.ability, tuple(key for key in shape.needs if key != "Source"), shape.answer, shape.language
    )


def _like(path: Path, declared: Mapping[str, Mapping[str, str]]) -> str:
    like = declared.get(path.stem, {}).get("like", path.stem)
    if like not in SHAPES:
        raise unknown(
            "shape", like, SHAPES,
            f'name {path.name} like one of them, or write [subsets.{path.stem}] like = "…" in suite.toml',
        )  # fmt: skip
    return like


def _unique(texts: Path, items: Collection[Item]) -> None:
    seen: dict[str, str] = {}
    for item in items:
        if item.id in seen:
            where = texts / f"{item.subset}.json"
            raise DataError(where, f"{item.id!r} stands in {seen[item.id]}.json too", field="Qid")
        seen[item.id] = item.subset


def _settings(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(path, f"not TOML: {error}") from None
    for key, value in settings.items():
        _check(path, key, value)
    return settings


def _check(path: Path, key: str, value: object) -> None:
    match key, value:
        case "name", str() if value:
            return
        case "language", str():
            _check_language(path, key, value)
        case "metrics", list() if all(isinstance(one, str) for one in cast("list[object]", value)):
            return
        case "subsets", dict():
            for name, subset in cast("dict[str, object]", value).items():
                _check_subset(path, f"subsets.{name}", subset)
        case (("name" | "metrics" | "subsets"), _):
            raise DataError(path, f"{value!r} does not fit", field=key)
        case _:
            raise DataError(path, "unknown; there are: language, metrics, name, subsets", field=key)


def _check_subset(path: Path, where: str, subset: object) -> None:
    if not isinstance(subset, dict):
        raise DataError(path, "must be a table with `like`, and perhaps `language` and `speech`", field=where)
    for key, value in cast("dict[str, object]", subset).items():
        if key not in ("like", "language", "speech") or not isinstance(value, str):
            raise DataError(
                path, "unknown; there are: language, like, speech (texts)", field=f"{where}.{key}"
            )
        if key == "language":
            _check_language(path, f"{where}.language", value)
        if key == "speech" and value not in ("recorded", "synthetic"):
            raise DataError(path, f"{value!r} is neither recorded nor synthetic", field=f"{where}.speech")


def _check_language(path: Path, where: str, value: str) -> None:
    if value not in LANGUAGES:
        raise DataError(path, f"{value!r} is not among {', '.join(LANGUAGES)}", field=where)
