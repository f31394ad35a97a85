"""`Uri`: how a model is named, `scheme:path?option=value#fragment`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


@dataclass(frozen=True, slots=True)
class Uri:
    """A parsed model name. `path` keeps `//host/…` where there is one; options are decoded."""

    text: str
    scheme: str
    path: str
    options: Mapping[str, str]
    fragment: str

    def only(self, *known: str) -> Uri:
        """Refuse options that nobody would read. Raises ConfigError."""
        for name in self.options:
            if name not in known:
                raise ConfigError(
                    f"{self.text}: no option {name!r}; {self.scheme}: takes {', '.join(known) or 'none'}"
                )
        return self

    def one_of(self, choices: Collection[str], what: str, default: str) -> str:
        """The path as a name among `choices`, or the default when it is empty. Raises ConfigError."""
        name = self.path or default
        if name not in choices:
            raise ConfigError(f"{self.text}: no {what} {name!r}; there are: {', '.join(sorted(choices))}")
        return name

    def whole(self, option: str, default: int) -> int:
        """An option as a whole number. Raises ConfigError."""
        value = self.options.get(option, str(default))
        try:
            return int(value)
        except ValueError:
            raise ConfigError(f"{self.text}: {option} must be a whole number, not {value!r}") from None


def parse(text: str) -> Uri:
    """Take a model's name apart. Raises ConfigError when there is no scheme or an option repeats."""
    scheme, colon, _ = text.partition(":")
    if not colon or not scheme or not scheme[0].isalpha():
        raise ConfigError(
            f"{text!r} names no model: write SCHEME:PATH, such as cascade: or whisper:base; "
            "`antiphon models list` shows the schemes"
        )
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise ConfigError(f"{text}: {error}") from None
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    options = dict(pairs)
    if len(options) != len(pairs):
        raise ConfigError(f"{text}: an option is given twice")
    path = f"//{parts.netloc}{parts.path}" if parts.netloc else unquote(parts.path)
    return Uri(text, parts.scheme, path, options, unquote(parts.fragment))
