"""`Rating`: what a person said about a reply; kept in the run's folder, one row an answer, on disk at once."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from antiphon.errors import ConfigError
from antiphon.ids import hash_bytes
from antiphon.jsonl import read_records
from antiphon.models.ports import is_scripted
from antiphon.report.local_app import Log, open_log

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

    from antiphon.bench.folder import RunFolder
    from antiphon.bench.rating.ballots import Ballot
    from antiphon.clock import Clock

State = Literal["rated", "skipped", "undone"]
FILE = "ratings.jsonl"
_NAME = re.compile(r"[\w][\w.-]{0,63}")


@dataclass(frozen=True, slots=True)
class Rating:
    """One answer of one rater; the last one about an item and metric holds. `value` is None unless rated.

    `response` is the hash of the words that were rated, `prompt` the rubric's name@version.
    """

    KIND: ClassVar[str] = "rating"
    V: ClassVar[int] = 1
    item: str
    metric: str
    rater: str
    prompt: str
    response: str
    at: str
    value: bool | float | None = None
    state: State = "rated"


def response_of(text: str) -> str:
    """The hash by which a rating knows the words it is about."""
    return hash_bytes(text.encode())[:16]


class Box:
    """The ballots of one rater, and what was said about them; each answer goes to its run's folder."""

    def __init__(
        self, ballots: Sequence[Ballot], logs: Sequence[Log[Rating]], rater: str, clock: Clock
    ) -> None:
        self.ballots = {ballot.id: ballot for ballot in ballots}
        self.rater = rater
        self.scripted = False  # whether any of the replies were written in advance: the page must say so
        self._logs = logs
        self._clock = clock
        self._order: list[str] = []
        self._said: dict[str, Rating] = {}
        by_key = {(one.run, one.item, one.metric, response_of(one.response)): one.id for one in ballots}
        earlier = [
            (rating.at, by_key[number, rating.item, rating.metric, rating.response], rating)
            for number, log in enumerate(logs)
            for rating in log.rows
            if (number, rating.item, rating.metric, rating.response) in by_key
        ]
        for _, ballot, rating in sorted(earlier, key=lambda each: each[0]):
            self._note(ballot, rating)

    @property
    def done(self) -> int:
        """How many are rated or skipped."""
        return len(self._said)

    @property
    def next(self) -> Ballot | None:
        """The first that is neither rated nor skipped."""
        return next((one for one in self.ballots.values() if one.id not in self._said), None)

    def rate(self, ballot: str, value: bool | float | None) -> None:
        """Keep an answer; None skips. Raises ConfigError for an unknown ballot or a value off its scale."""
        one = self._ballot(ballot)
        if value is not None and one.top is None and not isinstance(value, bool):
            raise ConfigError(f"{value!r} is neither yes nor no")
        if (
            value is not None
            and one.top is not None
            and (isinstance(value, bool) or value not in range(1, one.top + 1))
        ):
            raise ConfigError(f"{value!r} is no whole number from 1 to {one.top}")
        kept = value if value is None or isinstance(value, bool) else float(value)
        self._keep(one, kept, "skipped" if value is None else "rated")

    def undo(self) -> None:
        """Take the last answer back: its reply is asked about again."""
        if self._order:
            self._keep(self._ballot(self._order[-1]), None, "undone")

    def _ballot(self, ballot: str) -> Ballot:
        if ballot not in self.ballots:
            raise ConfigError(f"no ballot {ballot!r}; load the page again")
        return self.ballots[ballot]

    def _keep(self, one: Ballot, value: bool | float | None, state: State) -> None:
        at = self._clock.utc().isoformat(timespec="milliseconds")
        rating = Rating(
            one.item, one.metric, self.rater, one.prompt, response_of(one.response), at, value, state
        )
        self._logs[one.run].append(rating)
        self._note(one.id, rating)

    def _note(self, ballot: str, rating: Rating) -> None:
        if ballot in self._order:
            self._order.remove(ballot)
        self._said.pop(ballot, None)
        if rating.state != "undone":
            self._order.append(ballot)
            self._said[ballot] = rating


@contextmanager
def open_box(
    folders: Sequence[RunFolder], ballots: Sequence[Ballot], rater: str, clock: Clock
) -> Generator[Box]:
    """A rater's box, with what was said in earlier sessions. Raises ConfigError for a name that is no
    folder's, or while the same rater rates the same run elsewhere."""
    with ExitStack() as stack:
        logs = [stack.enter_context(open_log(path_of(folder, rater), Rating)) for folder in folders]
        box = Box(ballots, logs, rater, clock)
        manifests = [folder.read_manifest() for folder in folders if folder.manifest.exists()]
        box.scripted = any(is_scripted(one.system) or is_scripted(one.system_uri) for one in manifests)
        yield box


def path_of(folder: RunFolder, rater: str) -> Path:
    """Where a rater's answers about a run lie."""
    if not _NAME.fullmatch(rater):
        raise ConfigError(f"--rater {rater!r} must be a plain name: letters, digits, - and _")
    return folder.path / "ratings" / rater / FILE


def ratings_of(folder: RunFolder) -> Mapping[str, list[Rating]]:
    """The values that hold, by rater."""
    found: dict[str, list[Rating]] = {}
    for path in sorted((folder.path / "ratings").glob(f"*/{FILE}")):
        last = {(row.item, row.metric, row.response): row for row in read_records(path, Rating)}
        found[path.parent.name] = [row for row in last.values() if row.value is not None]
    return found
