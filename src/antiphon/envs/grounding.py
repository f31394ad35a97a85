"""Argument grounding: a value in a call must come from the dialogue, from tool results, from the rules or from the
interface itself (section 4.4). What an agent says does not ground anything until the partner agrees to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.changes import same
from antiphon.envs.knowledge import free, scalars
from antiphon.envs.predicates import agrees
from antiphon.partner.listen import mentions
from antiphon.text.mentions import contains, digits_together, fold
from antiphon.text.script import is_han

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from antiphon.envs.changes import Json
    from antiphon.envs.task import Task
    from antiphon.messages import ToolSpec
    from antiphon.partner.script import Fact
    from antiphon.trace import Step

_MONTHS = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
]  # fmt: skip
_DAYS_EN = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_DAYS_ZH = "一二三四五六日"
_DIGITS: dict[str, str] = {
    **dict(zip(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], "0123456789", strict=True)),
    "oh": "0", **dict(zip("〇一二三四五六七八九", "0123456789", strict=True)), "零": "0", "幺": "1", "两": "2",
}  # fmt: skip
_NUMBERS_EN = [
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty",
]  # fmt: skip
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_TOKEN = re.compile(r"[a-z]+|\d+|[\u4e00-\u9fff〇]")
_MARKS = re.compile(r"[\W_]+")
_NAME = 5  # letters of a name that no chance puts together from neighbours
_FREE_WORDS = 4  # a longer text is put in one's own words, and must share half of them
_FREE_HAN = 6
_NEAR = 14  # days: farther off nobody says only the weekday


@dataclass(frozen=True, slots=True)
class Grounding:
    """How much of a call's arguments is grounded: a share from 0 to 1, and (argument, value) of what is not.

    `share` is None for a call without arguments.
    """

    share: float | None
    missing: tuple[tuple[str, Any], ...] = ()


class Known:
    """What an agent can know after some steps of an episode."""

    def __init__(self, task: Task, rules: str, today: str, steps: Sequence[Step]) -> None:
        self._task = task
        self._today = today
        # 5678，482X: between numbers of Mandarin speech this comma is a pause, not part of one number
        self._heard = fold(" . ".join(_agreed(steps)).replace("，", " ， "))
        self._shown = [value for step in steps for value in _shown(step)]
        self._rules = fold(rules)

    @cached_property
    def _said(self) -> tuple[str, ...]:
        shown = [fold(value) for value in self._shown if isinstance(value, str)]
        return (self._heard, _spelt(self._heard), *shown)

    def grounds(self, value: Any, schema: Mapping[str, Any] | None = None) -> bool:
        """Whether a scalar comes from somewhere. What the partner has to tell must be told, though the rules name
        it or the interface offers it among others: until then it is a guess."""
        if value is None or value == "" or any(same(value, each) for each in self._shown):
            return True
        if self._heard_of(value):
            return True
        if any(_is(fact, value) for fact in self._facts):
            return False
        if isinstance(value, bool) or (schema and free(value, dict(schema))) or str(value) == self._today:
            return True
        return contains(self._rules, str(value)) or self._in_own_words(value)

    def to_be_told(self, value: Any) -> bool:
        """Whether a value is a fact that the partner tells when asked, and has not told."""
        return any(_is(fact, value) and fact.asked for fact in self._facts) and not self.grounds(value)

    @property
    def _facts(self) -> tuple[Fact, ...]:
        return self._task.script.facts if self._task.script is not None else ()

    def _heard_of(self, value: Any) -> bool:
        """Whether a value was said or shown: as it is, as a fact of the script, as a date, as a number word."""
        if isinstance(value, bool):
            return False
        told = any(_is(fact, value) and mentions(fact, self._heard) for fact in self._facts)
        if told or any(contains(text, str(value)) for text in self._said):
            return True
        if isinstance(value, str):
            return self._as_date(value) or self._run_together(value)
        return any(contains(self._heard, word) for word in _number_words(value))

    def _as_date(self, value: str) -> bool:
        if not _ISO.fullmatch(value):
            return False
        try:
            day, today = date.fromisoformat(value), date.fromisoformat(self._today)
        except ValueError:
            return False
        return any(contains(self._heard, form) for form in spoken_dates(day, today))

    def _run_together(self, value: str) -> bool:
        """Whether a name was said in other pieces: "Lake View" for Lakeview."""
        wanted = _MARKS.sub("", fold(value))
        return len(wanted) >= _NAME and any(wanted in _MARKS.sub("", text) for text in self._said)

    def _in_own_words(self, value: Any) -> bool:
        """Whether a longer text without numbers says, in half of its words, what was heard, shown or ruled."""
        if not isinstance(value, str):
            return False
        words = _TOKEN.findall(fold(value))
        han = sum(is_han(each) for each in words)
        if any(each.isdecimal() for each in words) or not (len(words) >= _FREE_WORDS or han >= _FREE_HAN):
            return False
        there = set(_TOKEN.findall(" ".join((*self._said, self._rules))))
        return 2 * sum(each in there for each in words) >= len(words)


def _is(fact: Fact, value: Any) -> bool:
    """Whether a value is that of a fact, as tools take it."""
    return same(fact.value, value) or fold(str(fact.value)) == fold(str(value))


def ground(call: Mapping[str, Any], spec: ToolSpec | None, known: Known) -> Grounding:
    """How a call ({name, arguments}) is grounded in what is known before it."""
    properties = cast("Json", spec.parameters.get("properties", {})) if spec is not None else {}
    leaves = [
        (name, leaf, cast("Json", properties.get(name, {})))
        for name, value in cast("Json", call["arguments"]).items()
        for leaf in _leaves(value)
    ]
    if not leaves:
        return Grounding(None)
    missing = tuple((name, leaf) for name, leaf, schema in leaves if not known.grounds(leaf, schema))
    return Grounding((len(leaves) - len(missing)) / len(leaves), missing)


def spoken_dates(day: date, today: date) -> Iterator[str]:
    """How people say a day: "August 20", "20th of August", 8月20号, "tomorrow", "Friday", 下周五."""
    month, number = _MONTHS[day.month - 1], day.day
    end = "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    for name in (month, month[:3]):
        for each in (str(number), f"{number}{end}"):
            yield f"{name} {each}"
            yield f"{each} {name}"
            yield f"{each} of {name}"
    yield f"{day.month}/{number}"
    zh = (str(day.month), _han(day.month)), (str(number), _han(number))
    for which in (0, 1):
        for ending in ("日", "号"):
            yield f"{zh[0][which]}月{zh[1][which]}{ending}"
    distance = (day - today).days
    yield from {
        0: ("today", "今天"), 1: ("tomorrow", "明天"), 2: ("the day after tomorrow", "后天"), 3: ("大后天",),
    }.get(distance, ())  # fmt: skip
    if 0 <= distance <= _NEAR:
        yield _DAYS_EN[day.weekday()]
        yield from (f"{week}{_DAYS_ZH[day.weekday()]}" for week in ("周", "星期", "礼拜"))
        if day.weekday() == len(_DAYS_EN) - 1:
            yield from ("周天", "星期天")


def _agreed(steps: Sequence[Step]) -> Iterator[str]:
    """What the partner said, and what the agent said that the partner's next words agree to."""
    agent: list[str] = []
    for step in steps:
        if not step.text:
            continue
        if step.role == "assistant":
            agent.append(step.text)
        elif step.role == "user":
            yield step.text
            if agrees(fold(step.text)):
                yield from agent
            agent = []


def _shown(step: Step) -> Iterator[Any]:
    """The values in a call's result; of a failure its words, without the arguments that it repeats."""
    if step.call is None or step.result is None or step.role != "assistant":
        return
    if "error" not in step.result:
        yield from scalars(step.result.get("value"))
        return
    told = str(step.result["error"])
    for value in scalars(step.call["arguments"]):
        told = told.replace(str(value), " ") if str(value).strip() else told
    yield told


def _leaves(value: Any) -> Iterator[Any]:
    """The scalars that an argument gives; the names of an object's fields are the interface's."""
    if isinstance(value, dict):
        for below in cast("Json", value).values():
            yield from _leaves(below)
    elif isinstance(value, list):
        for below in cast("list[Any]", value):
            yield from _leaves(below)
    else:
        yield value


def _spelt(text: str) -> str:
    """Words with spoken digits as digits: "four one five" and 一三八 as 415 and 138."""
    said = (_DIGITS.get(token, token) for token in cast("list[str]", _TOKEN.findall(text)))
    return digits_together(" ".join(said))


def _number_words(value: Any) -> Iterator[str]:
    """The words for a small whole number."""
    if isinstance(value, int) and 0 <= value < 10 + len(_NUMBERS_EN):
        if value >= 10:
            yield _NUMBERS_EN[value - 10]
            yield _han(value)
        else:
            yield from (word for word, digit in _DIGITS.items() if digit == str(value))


def _han(number: int) -> str:
    """A number below 100 in Han characters."""
    units = "零一二三四五六七八九"
    if number < 10:
        return units[number]
    tens, ones = divmod(number, 10)
    return ("" if tens == 1 else units[tens]) + "十" + (units[ones] if ones else "")
