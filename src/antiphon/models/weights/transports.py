"""Ways to a file's bytes, tried in order: a local folder, upstream over HTTP, archives of a package index."""

from __future__ import annotations

import os
import shutil
import threading
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

import httpx

from antiphon.clock import RealClock
from antiphon.errors import AntiphonError, DataError
from antiphon.models.weights.table import HUB

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from antiphon.clock import Clock
    from antiphon.models.weights.progress import Progress
    from antiphon.models.weights.table import File, Weight

UNREACHABLE_BUDGET_S = 5.0
PROBE_S = 2.4
_RESUMES = 5
_TIMEOUT = httpx.Timeout(20.0, connect=PROBE_S)


class AbsentError(AntiphonError):
    """This transport cannot give the file; the next one may."""


class Transport(Protocol):
    """One way to a file. `part` may already hold the file's first bytes, whoever brought them; `bring`
    adds the rest. It raises AbsentError when it cannot, DataError when the disk refuses."""

    name: str

    def bring(self, weight: Weight, file: File, part: Path, progress: Progress) -> None: ...


def size_of(path: Path) -> int:
    """Bytes in a file, 0 where there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def not_written(path: Path, error: OSError) -> DataError:
    """The one wording for a disk that refuses."""
    return DataError(path, f"not written ({error.strerror or error}); free some space and fetch again")


class Folder:
    """A folder that someone filled: `FOLDER/NAME/FILE` or `FOLDER/FILE`. Files are copied."""

    def __init__(self, folder: Path) -> None:
        self.name = f"folder {folder}"
        self._folder = folder

    def bring(self, weight: Weight, file: File, part: Path, progress: Progress) -> None:
        candidates = (self._folder / weight.name / file.name, self._folder / file.name)
        found = next((path for path in candidates if path.is_file()), None)
        if found is None:
            raise AbsentError(f"holds no {file.name}")
        try:
            shutil.copyfile(found, part)
        except OSError as error:
            raise not_written(part, error) from error
        progress.moved(file.name, self.name, size_of(part), file.size)


def probe(origin: str, patience_s: float = PROBE_S) -> str | None:
    """Why a host does not answer, None where it does; any answer is one."""
    outcome: list[str | None] = []

    def ask() -> None:
        try:
            httpx.head(origin, timeout=patience_s)
        except Exception as error:  # noqa: BLE001  whatever stops the probe, this host is not reachable
            outcome.append(_words(error))
        else:
            outcome.append(None)

    # A name lookup cannot be timed out, so a thread that nobody waits for does it.
    thread = threading.Thread(target=ask, name="probe-upstream", daemon=True)
    thread.start()
    thread.join(patience_s)
    return outcome[0] if outcome else f"did not answer within {patience_s:.1f} s"


class Upstream:
    """The publisher's own server: the Hugging Face hub (`HF_ENDPOINT` honoured), or a release page.

    Hosts that cannot be reached cost at most five seconds in all, and are remembered as long as this
    object lives. A broken download goes on where it stopped.
    """

    name = "upstream"

    def __init__(
        self,
        environ: Mapping[str, str] = os.environ,
        clock: Clock | None = None,
        *,
        budget_s: float = UNREACHABLE_BUDGET_S,
        probe_s: float = PROBE_S,
    ) -> None:
        self._hub = environ.get("HF_ENDPOINT", "").rstrip("/") or "https://huggingface.co"
        self._offline = environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on")
        self._clock = clock or RealClock()
        self._left_s = budget_s
        self._probe_s = probe_s
        self._reached: dict[str, str | None] = {}  # origin -> why not, None where it answers

    def bring(self, weight: Weight, file: File, part: Path, progress: Progress) -> None:
        if self._offline:
            raise AbsentError("not asked, HF_HUB_OFFLINE is set")
        url = file.url.replace(HUB, self._hub)
        host = urlsplit(url).netloc
        if problem := self._problem(url):
            raise AbsentError(f"{host} {problem}")
        for _ in range(_RESUMES):
            before = size_of(part)
            try:
                self._get(url, file, part, progress)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                if size_of(part) <= before:
                    raise AbsentError(f"{host}: {_words(error)}") from None
                progress.note(f"{file.name}: {host} broke off at {size_of(part)} bytes; going on there")
                continue
            return
        raise AbsentError(f"{host} broke off {_RESUMES} times, at {size_of(part)} of {file.size} bytes")

    def _problem(self, url: str) -> str | None:
        """Why this URL's host does not answer, None where it does. Asked once a host."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}/"
        if origin not in self._reached:
            start_us = self._clock.mono_us()
            problem = self._probe(origin)
            if problem is not None:
                self._left_s -= (self._clock.mono_us() - start_us) / 1e6
            self._reached[origin] = problem
        return self._reached[origin]

    def _probe(self, origin: str) -> str | None:
        patience_s = min(self._probe_s, self._left_s)
        if patience_s < self._probe_s / 10:
            return "not asked, other hosts used up the five seconds"
        return probe(origin, patience_s)

    def _get(self, url: str, file: File, part: Path, progress: Progress) -> None:
        have = size_of(part)
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        with httpx.stream("GET", url, headers=headers, follow_redirects=True, timeout=_TIMEOUT) as response:
            if response.status_code not in (200, 206):
                raise AbsentError(f"{response.url.host} answers {response.status_code} for {file.name}")
            goes_on = response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
            if response.status_code == 206 and not goes_on:
                raise AbsentError(f"{response.url.host} sent another part of {file.name} than asked for")
            self._save(response, file, part, have if response.status_code == 206 else 0, progress)

    def _save(self, response: httpx.Response, file: File, part: Path, done: int, progress: Progress) -> None:
        host = response.url.host
        try:
            with part.open("ab" if done else "wb") as out:
                for piece in response.iter_bytes():  # as they come, so that none is lost in a break
                    done += out.write(piece)
                    if done > file.size:
                        break  # not this file; the hash would say so after gigabytes more
                    progress.moved(file.name, host, done, file.size)
        except OSError as error:
            raise not_written(part, error) from error


def _words(error: Exception) -> str:
    return str(error).strip() or type(error).__name__
