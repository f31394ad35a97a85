"""A code agent's reply: whole files between marks, read strictly. What is no file of a domain is refused."""

from __future__ import annotations

import re

_MARK = re.compile(r"=== (\S+)\s*")
_END = "end"
# No schema.json: its patterns and references would be followed in this process.
_NAMES = re.compile(r"rules\.md|tools\.py|domain\.toml|dbs/[a-z0-9_]+\.json|tasks/[a-z0-9_]+\.json")
LARGEST = 200_000  # characters of one file


class ReplyError(ValueError):
    """A reply that cannot be read; the message is for the code agent."""


def read_files(text: str) -> dict[str, str]:
    """The files in a reply, by name: `=== NAME` lines, each followed by the file, and `=== end` last.

    Raises ReplyError for words around the files, a name that no domain has (so none leads out of its folder), a file
    that comes twice, is empty or too large, and a reply that breaks off.
    """
    lines = text.strip().splitlines()
    if not lines or not _MARK.fullmatch(lines[0]):
        raise ReplyError(
            f"the first line must be '=== NAME' of a file, and is {_short(lines[0] if lines else '')}"
        )
    files: dict[str, list[str]] = {}
    name = ""
    for number, line in enumerate(lines, start=1):
        if (mark := _MARK.fullmatch(line)) is None:
            files[name].append(line)
            continue
        name = mark[1]
        if name == _END:
            if number != len(lines):
                raise ReplyError(f"nothing may follow '=== end', and line {number + 1} does")
            return {each: _checked(each, "\n".join(content)) for each, content in files.items()}
        if not _NAMES.fullmatch(name):
            raise ReplyError(f"{name} is no file of a domain; there are: rules.md, tools.py, domain.toml, dbs/*.json, tasks/*.json")  # fmt: skip
        if name in files:
            raise ReplyError(f"{name} comes twice")
        files[name] = []
    raise ReplyError("the reply breaks off: '=== end' is missing")


def _checked(name: str, content: str) -> str:
    if not content.strip():
        raise ReplyError(f"{name} is empty")
    if len(content) > LARGEST:
        raise ReplyError(f"{name} has {len(content)} characters; at most {LARGEST}")
    if content.lstrip().startswith("```"):
        raise ReplyError(f"{name} begins with ```; write the file as it is, without fences")
    return content.strip("\n") + "\n"


def _short(line: str) -> str:
    return repr(line if len(line) <= 60 else f"{line[:59]}…")
