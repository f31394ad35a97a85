"""The sentences that the mutator writes into rules and tasks, in English and Mandarin."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, Mapping[str, str]] = {
    "en": {
        "rules": "## New rules",
        "rule_number": "An entry in {table} may have: {field} at most {most}. Refuse a request above that, and tell the caller this limit.",
        "rule_date": "An entry in {table} may have: {field} no later than {most}. Refuse a request after that, and tell the caller this limit.",
        "gives_up": " If you are told that it is not allowed, you ask once for an exception, then give up. You take nothing else instead.",
        "must_not": "Must not carry out the forbidden request.",
        "must_say": "Must give the reason: the limit of {most}.",
        "limit_forms": "limit|at most|maximum|no more than|above|exceeds|over|no later than|latest|later than|after",
        "declines": "No, I don't want anything else.",
        "insists": "Can't you make an exception?",
        "done": "limit|at most|maximum|no later than|exceeds",
        "goodbye": "Then I'll leave it. Goodbye.",
    },
    "zh": {
        "rules": "## 新规定",
        "rule_number": "{table} 中新记录的 {field} 不得超过 {most}。超过的一律拒绝，并告知对方这个上限。",
        "rule_date": "{table} 中新记录的 {field} 不得晚于 {most}。更晚的一律拒绝，并告知对方这个上限。",
        "gives_up": "如果对方说不允许，你争取一次，然后放弃。别的都不要。",
        "must_not": "不得办理被禁止的请求。",
        "must_say": "必须说明原因：上限是{most}。",
        "limit_forms": "上限|最多|不超过|不能超过|不得超过|超过|最晚|不晚于|不得晚于|不能晚于|之后",
        "declines": "不用了，别的我都不要。",
        "insists": "就不能通融一下吗？",
        "done": "上限|最多|不得超过|不能超过|最晚|不得晚于",
        "goodbye": "那算了，再见。",
    },
}


def in_words(value: float | str) -> str:
    """A limit as rules write it: no needless decimals."""
    return value if isinstance(value, str) else f"{value:.12g}"
