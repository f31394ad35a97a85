"""Get weights, prove that they are the right bytes, and say where they lie.

    folder = ensure("whisper-base")      # fetches what is missing
    folder = locate("whisper-base")      # never fetches: UnavailableError names the command that does

Files lie in `CACHE/weights/NAME/FILE`. A file gets its name only after its SHA-256 was right; until then
it is `FILE.part`, which a later fetch continues.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from antiphon.errors import DataError, UnavailableError
from antiphon.ids import hash_file
from antiphon.models.weights import repos, store, table
from antiphon.models.weights.archives import Archives
from antiphon.models.weights.missing import MissingWeightsError
from antiphon.models.weights.progress import Silent
from antiphon.models.weights.transports import AbsentError, Folder, Upstream, not_written, size_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.models.weights.progress import Progress
    from antiphon.models.weights.table import File, Weight
    from antiphon.models.weights.transports import Transport

_SILENT = Silent()
_UPSTREAM: list[Upstream] = []  # one a process, so that an unreachable hub is waited for once


@dataclass(frozen=True, slots=True)
class Status:
    """How a weight stands on this machine. `present_bytes` counts whole and unfinished files."""

    name: str
    state: Literal["present", "absent", "corrupt"]
    present_bytes: int
    size: int
    problem: str | None = None


def transports(source: Path | None = None, environ: Mapping[str, str] = os.environ) -> list[Transport]:
    """The ways in order: `source`, `$ANTIPHON_WEIGHTS`, upstream, archives of the package indexes."""
    folders = [source] if source else []
    if chosen := environ.get("ANTIPHON_WEIGHTS"):
        folders.append(Path(chosen).expanduser())
    if not _UPSTREAM:
        _UPSTREAM.append(Upstream(environ))
    return [*(Folder(folder) for folder in folders), _UPSTREAM[0], Archives()]


def folder_of(name: str, cache: Path | None = None) -> Path:
    """Where a weight's files lie or will lie."""
    return (cache or store.cache_folder()) / "weights" / table.weight(name).name


def digest(name: str) -> str:
    """Twelve hex digits that name a weight's exact bytes. Raises ConfigError for an unknown name."""
    return table.weight(name).digest


def locate(name: str, *, cache: Path | None = None) -> Path:
    """The folder of a weight that is here and right; never fetches.

    Raises UnavailableError that names the command which fetches it.
    """
    weight = table.weight(name)
    folder = folder_of(name, cache)
    missing = [file.name for file in weight.files if not store.is_right(folder, file)]
    if missing:
        raise MissingWeightsError(
            name,
            f"weights {name} are not here ({', '.join(missing)} missing or damaged, {_mb(weight.size)} in all)",
        )
    return folder


def ensure(
    name: str,
    *,
    progress: Progress = _SILENT,
    ways: Sequence[Transport] | None = None,
    cache: Path | None = None,
) -> Path:
    """The folder of a weight's files, fetched where they are missing, each with the right SHA-256.

    Raises UnavailableError when no transport has them, DataError when one gave other bytes or the disk
    refuses.
    """
    weight = table.weight(name)
    folder = folder_of(name, cache)
    if all(store.is_right(folder, file) for file in weight.files):
        return folder
    with store.one_writer(folder, progress):
        for file in weight.files:
            if not store.is_right(folder, file):
                _bring(weight, file, folder, transports() if ways is None else ways, progress)
    return folder


def fetch(
    names: Sequence[str],
    *,
    progress: Progress = _SILENT,
    source: Path | None = None,
    cache: Path | None = None,
) -> dict[str, Path]:
    """Several weights, or repositories such as hf:owner/name; `source` is a folder to look in first.

    Raises as `ensure`, before any download for a name that is not in the table.
    """
    wanted = {name: repo for name in names if (repo := repos.parse_repo(name)) is not None}
    for name in names:
        if name not in wanted:
            table.weight(name)
    return {
        name: repos.bring(wanted[name])
        if name in wanted
        else ensure(name, progress=progress, ways=transports(source), cache=cache)
        for name in dict.fromkeys(names)
    }


def status(name: str, *, cache: Path | None = None) -> Status:
    """How a weight stands here; files that were proved once are not hashed again."""
    return _status(name, cache, again=False)


def verify(name: str, *, cache: Path | None = None) -> Status:
    """How a weight stands here, every file hashed again."""
    return _status(name, cache, again=True)


def _status(name: str, cache: Path | None, *, again: bool) -> Status:
    weight = table.weight(name)
    folder = folder_of(name, cache)
    wrong = [file.name for file in weight.files if not store.is_right(folder, file, again=again)]
    damaged = [file for file in wrong if (folder / file).exists()]
    present = sum(max(size_of(folder / f.name), size_of(_part(folder, f))) for f in weight.files)
    if damaged:
        problem = f"wrong bytes in {', '.join(damaged)}; `antiphon weights fetch {name}` replaces them"
        return Status(name, "corrupt", present, weight.size, problem)
    return Status(name, "absent" if wrong else "present", present, weight.size)


def _part(folder: Path, file: File) -> Path:
    return folder / f"{file.name}.part"


def _bring(weight: Weight, file: File, folder: Path, ways: Sequence[Transport], progress: Progress) -> None:
    reasons: list[str] = []
    wrong: list[str] = []
    for way in ways:
        try:
            problem = _by(way, weight, file, folder, progress)
        except AbsentError as error:
            reasons.append(f"{way.name}: {error}")
            continue
        if problem is None:
            return
        wrong.append(f"{way.name} gave wrong bytes, {problem}")
        progress.note(f"{file.name}: {wrong[-1]}; refused and deleted")
    if wrong:
        raise DataError(
            folder / file.name, "; ".join([*wrong, *reasons]) + ". Nothing was kept; check that source"
        )
    raise UnavailableError(
        f"weights {weight.name}: no way to {file.name} ({'; '.join(reasons)})",
        f"with network: antiphon weights fetch {weight.name}; with files at hand: "
        f"antiphon weights fetch {weight.name} --from FOLDER",
    )


def _by(way: Transport, weight: Weight, file: File, folder: Path, progress: Progress) -> str | None:
    """Fetch one file one way; None when it is in place, else what is wrong with the bytes.

    A wrong file that began with another transport's bytes gets a second chance from nothing.
    """
    part = _part(folder, file)
    continued = size_of(part) > 0
    problem = _once(way, weight, file, folder, progress)
    if problem is not None and continued:
        problem = _once(way, weight, file, folder, progress)
    return problem


def _once(way: Transport, weight: Weight, file: File, folder: Path, progress: Progress) -> str | None:
    part = _part(folder, file)
    if size_of(part) != file.size:
        way.bring(weight, file, part, progress)
    size = size_of(part)
    found = hash_file(part) if size == file.size else ""
    if found != file.sha256:
        part.unlink(missing_ok=True)
        if size != file.size:
            return f"{size} bytes and not {file.size}"
        return f"sha256 {found[:16]}… and not {file.sha256[:16]}…"
    try:
        part.replace(folder / file.name)
    except OSError as error:
        raise not_written(folder / file.name, error) from error
    store.remember(folder, file, right=True)
    return None


def _mb(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
