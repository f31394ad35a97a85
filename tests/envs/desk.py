"""A small domain for tests: a lending desk, written to a folder, whole or with something wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from antiphon.envs.domain import Domain, read_domain

RULES = """# Lending desk

A member may have at most one loan.
Reference books are not lent.
Before lending, read back the title and wait for a yes.
"""

TOOLS = '''"""Tools of the lending desk."""

from __future__ import annotations

from typing import Any, Literal


def find(db: dict[str, Any], title: str) -> dict[str, Any]:
    """Find books by title.

    Args:
        title: part of the title
    """
    found = {book_id: book for book_id, book in db["books"].items() if title and title in book["title"]}
    return {"books": found} if found else {"error": f"no book {title!r}"}


def lend(db: dict[str, Any], member: str, book: str, weeks: Literal[1, 2] = 1) -> dict[str, Any]:
    """Lend a book.

    Args:
        member: number of the member
        book: id of the book
        weeks: for how long
    """
    if member not in db["members"]:
        return {"error": f"no member {member!r}"}
    if book not in db["books"]:
        return {"error": f"no book {book!r}"}
    loan = f"L{len(db['loans']) + 100}"
    db["loans"][loan] = {"member": member, "book": book, "weeks": weeks}
    db["log"].append({"did": "lend", "loan": loan})
    return {"loan": loan}


def give_back(db: dict[str, Any], loan: str) -> dict[str, Any]:
    """Take a book back.

    Args:
        loan: id of the loan
    """
    if loan not in db["loans"]:
        return {"error": f"no loan {loan!r}"}
    del db["loans"][loan]
    return {"ok": True}
'''

PARTNER_TOOLS = '''"""What a member can do alone."""

from __future__ import annotations

from typing import Any


def renew_card(db: dict[str, Any], member: str) -> dict[str, Any]:
    """Renew the member's card.

    Args:
        member: number of the member
    """
    if member not in db["members"]:
        return {"error": f"no member {member!r}"}
    db["members"][member]["card"] = "valid"
    return {"card": "valid"}
'''

DB: dict[str, Any] = {
    "current_date": "2026-08-12",
    "members": {"4711": {"name": "Ada", "card": "old", "secret": "x-ray-9"}, "4712": {"name": "Bob", "card": "valid"}},
    "books": {"B1": {"title": "Emma"}, "B2": {"title": "Dune"}},
    "loans": {"L9": {"member": "4712", "book": "B2", "weeks": 1}},
    "log": [],
}  # fmt: skip

LEND: dict[str, Any] = {
    "task_id": "lend_emma",
    "db": "@dbs/main.json",
    "user_system_prompt": "You are Ada, member 4711. You want to borrow Emma for one week.",
    "expected_outcome": "write",
    "expected_db": {"loans": {"L101": {"member": "4711", "book": "B1", "weeks": 1}}},
    "reference_tool_calls": [
        {"tool": "find", "arguments": {"title": "Emma"}},
        {"tool": "lend", "arguments": {"member": "4711", "book": "B1"}},
    ],
    "assertions": [
        {"text": "Must find before lending.", "predicate": "called_before", "arguments": {"tool": "find", "before": "lend"}},
        {"text": "Must read Emma back.", "predicate": "confirmed_before", "arguments": {"tool": "lend", "forms": [["Emma"]]}},
        {"text": "Must tell the loan.", "predicate": "says", "arguments": {"forms": [["L101"]], "after": "lend"}},
    ],
    "clauses": ["Before lending, read back the title and wait for a yes."],
    "script": {
        "opening": "Emma, please.",
        "facts": [{"name": "member", "value": "4711", "say": "4711", "asked": ["number"]}],
        "goodbye": "Bye.",
    },
}  # fmt: skip

REFUSE: dict[str, Any] = {
    "task_id": "refuse_second",
    "db": "@dbs/main.json",
    "user_system_prompt": "You are Bob, member 4712. You have Dune and want Emma too.",
    "expected_outcome": "refusal",
    "expected_db": {},
    "reference_tool_calls": [{"tool": "find", "arguments": {"title": "Emma"}}],
    "assertions": [
        {"text": "Must say that one loan is the limit.", "predicate": "says", "arguments": {"forms": [["one loan"]]}},
        {"text": "Must not lend.", "predicate": "not_called", "arguments": {"tool": "lend"}},
    ],
    "clauses": ["A member may have at most one loan."],
}  # fmt: skip


def write(folder: Path, *tasks: dict[str, Any], **files: str) -> Path:
    """The desk as a folder. `files` replaces or adds files: a key's "__" stands for a slash, "_py" for ".py"."""
    content = {
        "rules.md": RULES,
        "tools.py": TOOLS,
        "partner_tools.py": PARTNER_TOOLS,
        "domain.toml": 'audit = ["/log"]\ninternal = ["/members/*/secret"]\n',
        "dbs/main.json": json.dumps(DB),
        "tasks/all.json": json.dumps(list(tasks or (LEND, REFUSE))),
    }
    for name, text in files.items():
        place = name.replace("__", "/")
        for ending in ("py", "md", "json", "toml"):
            place = place.removesuffix(f"_{ending}") + f".{ending}" if place.endswith(f"_{ending}") else place
        content[place] = text
    home = folder / "desk"
    for name, text in content.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return home


def open_desk(folder: Path, *tasks: dict[str, Any], **files: str) -> Domain:
    """The desk, read."""
    domain, problems = read_domain(write(folder, *tasks, **files))
    assert problems == []
    assert domain is not None
    return domain
