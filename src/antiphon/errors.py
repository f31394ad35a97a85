"""The tree of errors.

AntiphonError
├── ConfigError            what the user asked for cannot be: names the value, the choices, the next step (exit 2)
│   └── UnavailableError   a package, weight file or program is missing here: names the command that brings it
├── DataError              a file holds what it must not: names file, line and field
├── WireError              a peer sent what its protocol does not allow: names event and field
├── ModelError             a model or endpoint failed: says which one, and whether trying again may help
│   └── ReplyError         a model answered, with what is no reply: its own doing, not the line's
├── DomainError            an executable environment is broken
└── LedgerError            the durable record of jobs refused a change
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class AntiphonError(Exception):
    """The root: every error that Antiphon raises on purpose."""


class ConfigError(AntiphonError):
    """A request that cannot be met as it stands; the message says what to change."""


class UnavailableError(ConfigError):
    """Something real is missing on this machine; `remedy` is the command that brings it."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}; {remedy}")
        self.what = what
        self.remedy = remedy


class DataError(AntiphonError):
    """Bad bytes in a file: `path:line field: problem`."""

    def __init__(
        self, path: Path | str, problem: str, *, line: int | None = None, field: str | None = None
    ) -> None:
        where = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{where} {field}: {problem}" if field else f"{where}: {problem}")
        self.path = str(path)
        self.line = line
        self.field = field


class WireError(AntiphonError):
    """Bytes that are no event of the protocol: `event field: problem`. `field` is None for no JSON."""

    def __init__(self, event: str, field: str | None, problem: str) -> None:
        super().__init__(f"{event} {field}: {problem}" if field else f"{event}: {problem}")
        self.event = event
        self.field = field
        self.problem = problem


class ModelError(AntiphonError):
    """A model or endpoint failed. `transient` means that the same call may succeed later."""

    def __init__(
        self,
        endpoint: str,
        problem: str,
        *,
        transient: bool = False,
        retry_after_us: int | None = None,
    ) -> None:
        super().__init__(f"{endpoint}: {problem}")
        self.endpoint = endpoint
        self.problem = problem
        self.transient = transient
        self.retry_after_us = retry_after_us


class ReplyError(ModelError):
    """The model was reached and answered: with nothing, or with a tool call that cannot be read."""


class DomainError(AntiphonError):
    """An executable environment is broken: a tool raised, a task contradicts itself."""


class LedgerError(AntiphonError):
    """The record of jobs refused a change, because it would lose or repeat work."""


def unknown(what: str, value: str, choices: Iterable[str], next_step: str = "") -> ConfigError:
    """The one wording for a name that is not among its choices."""
    listed = ", ".join(sorted(choices)) or "none"
    tail = f"; {next_step}" if next_step else ""
    return ConfigError(f"no {what} {value!r}; there are: {listed}{tail}")
