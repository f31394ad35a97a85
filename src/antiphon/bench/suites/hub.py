"""Published sets on the Hugging Face hub, brought into a folder in the published layout.

`--data hf:` fetches a suite's own repositories, `--data hf:OWNER/NAME` (or `hf:FOLDER`, a clone) another copy.
What is fetched stays: sound that is there is not written again, and a subset's JSON comes last, so a fetch that
was killed goes on. Texts from elsewhere win: a JSON file that already lies in the folder says which
sound belongs where.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from antiphon.bench.suites.published import read_entries
from antiphon.cache import default_folder
from antiphon.errors import ConfigError, DataError, UnavailableError, unknown
from antiphon.jsonl import write_bytes
from antiphon.models.weights import repos

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    # Repository → our subset → its configuration there.
    Hub = Mapping[str, Mapping[str, str]]

SCHEME = "hf:"


def folder_of(data: Path, hub: Hub, wanted: Sequence[str]) -> Path:
    """The folder that `--data` names, filled from the hub where it says so.

    Raises ConfigError for a subset that is not on the hub, UnavailableError when `datasets` or the hub is
    out of reach, DataError for rows that are not what they should be.
    """
    # click makes a Path of it, and a Path drops what looks like a trailing slash.
    text = str(data)
    if not text.startswith(SCHEME):
        return data
    named = text.removeprefix(SCHEME)
    repositories = {named: _configurations(named, hub)} if named else hub
    folder = default_folder() / "datasets" / (named or next(iter(hub))).strip("/").replace("/", "--")
    for repository, configurations in repositories.items():
        names = [name for name in wanted if name in configurations]
        if names:
            _bring(repository, {name: configurations[name] for name in names}, folder)
    return folder


def _configurations(named: str, hub: Hub) -> Mapping[str, str]:
    """A repository by another name holds what ours hold, under the same names."""
    return hub.get(named) or {name: there for known in hub.values() for name, there in known.items()}


def _bring(repository: str, wanted: Mapping[str, str], folder: Path) -> None:
    missing = {name: there for name, there in wanted.items() if not (folder / "done" / name).is_file()}
    if not missing:
        return
    source = _Source(repository)
    source.check_reachable()
    offered = source.configurations()
    for there in missing.values():
        if there not in offered:
            raise unknown(
                f"configuration of {repository} named", there, offered,
                f"choose others with --subset, or fill {folder} from the set's own JSON files",
            )  # fmt: skip
    for name, there in missing.items():
        _keep(folder, name, source.rows(there))
        write_bytes(folder / "done" / name, b"")


def _keep(folder: Path, name: str, rows: Iterable[dict[str, Any]]) -> None:
    """One subset: its sound file by file, then its JSON."""
    path = folder / "json" / f"{name}.json"
    theirs = {str(entry.get("Qid")): entry for entry in read_entries(path)} if path.is_file() else None
    entries: list[dict[str, Any]] = []
    for index, row in enumerate(rows):
        sound = row.pop("audio", None) or row.pop("Audio", None)
        qid = row.get("Qid")
        if not isinstance(qid, str) or not qid:
            raise DataError(f"{name} on the hub", "has no Qid", field=f"row {index}")
        known = theirs.get(qid) if theirs is not None else None
        if sound is not None:
            place = str(known["Audio"]) if known and known.get("Audio") else f"{name}/{qid}{_suffix(sound)}"
            row["Audio"] = place
            _keep_sound(folder / "audio", place, sound, f"{name} {qid}")
        entries.append({"Set": name, **{key: value for key, value in row.items() if value is not None}})
    if theirs is None:
        write_bytes(path, json.dumps(entries, ensure_ascii=False, indent=1).encode())


def _keep_sound(root: Path, place: str, sound: dict[str, Any], where: str) -> None:
    relative = PurePosixPath(place)
    if relative.is_absolute() or ".." in relative.parts:
        raise DataError(where, f"{place!r} leaves the audio folder", field="Audio")
    if (root / relative).is_file():
        return
    data = sound.get("bytes")
    if data is None and sound.get("path"):
        data = Path(str(sound["path"])).read_bytes()
    if not data:
        raise DataError(where, "has no sound", field="audio")
    write_bytes(root / relative, cast("bytes", data))


def _suffix(sound: Mapping[str, Any]) -> str:
    return PurePosixPath(str(sound.get("path") or "")).suffix or ".wav"


@dataclass(frozen=True, slots=True)
class _Source:
    """A dataset repository, through the library `datasets`."""

    repository: str

    def check_reachable(self) -> None:
        """Raises UnavailableError at once where the hub does not answer: `datasets` would ask for half a minute."""
        here = Path(self.repository).is_dir() or repos.named("hf", self.repository) is None
        if not here and not _datasets().config.HF_HUB_OFFLINE and (why := repos.unreachable()):
            raise self._absent(why)

    def configurations(self) -> list[str]:
        library = _datasets()
        return [str(name) for name in self._asked(library.get_dataset_config_names, self.repository)]

    def rows(self, configuration: str) -> Iterable[dict[str, Any]]:
        """A configuration's rows; sound stays as its file's bytes, undecoded."""
        library = _datasets()
        splits = self._asked(library.load_dataset, self.repository, configuration)
        names = list(splits)
        if len(names) != 1:
            raise ConfigError(
                f"{self.repository} {configuration} has splits {', '.join(names)}; one is expected"
            )
        table = splits[names[0]]
        for column in table.column_names:
            if column.lower() == "audio":
                table = table.cast_column(column, library.Audio(decode=False))
        for row in table:
            yield dict(row)

    def _asked(self, call: Any, *given: str) -> Any:
        try:
            return call(*given)
        except (OSError, ValueError) as error:  # both what the hub's absence and a wrong name raise
            raise self._absent(str(error)) from error

    def _absent(self, why: str) -> UnavailableError:
        said = " ".join(why.split())
        return UnavailableError(
            f"{self.repository} on the hub ({said[:160]})",
            "check the network and the name, or give a folder: --data FOLDER",
        )


def _datasets() -> Any:
    try:
        import datasets
    except ImportError:
        raise UnavailableError("the library datasets", "pip install 'antiphon[hub]'") from None
    return datasets
