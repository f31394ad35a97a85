"""`Prompt`: the text that asks a judge for one verdict. Texts belong to their suite and are passed in."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antiphon.errors import DataError
from antiphon.ids import hash_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FIELDS = ("question", "answer", "response", "history", "criteria")
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text with `{question}`, `{answer}`, `{response}`, `{history}` and `{criteria}` to fill.

    `choices` are the words for yes and for no, in this order; none asks for a score from `bottom` to `top`.
    `argues`: the verdict needs more than a look at the reference, the judge must follow an argument.
    """

    name: str
    text: str
    choices: tuple[str, ...] = ()
    top: int = 5
    bottom: int = 1
    argues: bool = False

    @property
    def version(self) -> str:
        """Changes whenever a word of the text or of the choices changes."""
        return hash_bytes("\n".join((self.text, *self.choices)).encode())[:12]

    @property
    def label(self) -> str:
        """Name and version, for records."""
        return f"{self.name}@{self.version}"

    @property
    def with_reference(self) -> bool:
        """Whether the judge sees a reference answer."""
        return "answer" in _PLACEHOLDER.findall(self.text)

    @property
    def compares(self) -> bool:
        """Whether the verdict is a comparison with the reference: no argument to follow, and no dialogue."""
        return self.with_reference and not self.argues and "history" not in _PLACEHOLDER.findall(self.text)

    def swapped(self) -> Prompt | None:
        """This prompt with its two words offered in the other order, to see whether their order decides.

        None for a score, or where the text does not offer them once as "A or B" or "A 或 B".
        """
        if not self.choices:
            return None
        yes, no = self.choices
        offers = [(first, word, last) for word in (" or ", " 或 ") for first, last in ((yes, no), (no, yes))]
        for first, word, last in offers:
            if self.text.count(f"{first}{word}{last}") == 1:
                text = self.text.replace(f"{first}{word}{last}", f"{last}{word}{first}")
                return replace(self, name=f"{self.name}_swapped", text=text)
        return None

    def with_criteria(self, criteria: str) -> Prompt:
        """This prompt for one category: the criteria become part of its text and version."""
        return replace(self, text=self.text.replace("{criteria}", criteria))

    def fill(self, fields: Mapping[str, str]) -> str:
        """The text to send. Braces inside a value stay as they are.

        Raises ValueError when a field that the text asks for is missing or blank, except an empty
        history and an absent reference in a prompt that calls it optional by asking for a score.
        """

        def value(match: re.Match[str]) -> str:
            name = match[1]
            text = fields.get(name, "").strip()
            if not text and not (name == "history" or (name == "answer" and not self.choices)):
                raise ValueError(f"prompt {self.name} needs {name}")
            return text or "（无）"

        return _PLACEHOLDER.sub(value, self.text)


def read(path: Path, choices: tuple[str, ...] = (), top: int = 5) -> Prompt:
    """A prompt from a text file. Raises DataError for a placeholder that nothing fills, a prompt that
    never shows the reply, or one that does not offer its choices."""
    text = path.read_text(encoding="utf-8").strip()
    names = _PLACEHOLDER.findall(text)
    for name in names:
        if name not in FIELDS:
            raise DataError(path, f"nothing fills it; there are: {', '.join(FIELDS)}", field=f"{{{name}}}")
    if "response" not in names:
        raise DataError(path, "shows no {response} to judge")
    if len(choices) not in (0, 2):
        raise DataError(path, f"a verdict is one of two words, not of {len(choices)}")
    for choice in choices:
        if choice not in text:
            raise DataError(path, f"does not offer the choice {choice!r}")
    return Prompt(path.stem, text, choices, top)
