"""The acknowledgement evaluator: is there one where it must be, none where it must not, and is it a good one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from antiphon.envs.acknowledgement.rules import labels
from antiphon.envs.acknowledgement.turns import tool_turns
from antiphon.envs.acknowledgement.words import Landmark, acknowledges, first, units
from antiphon.envs.claims import premature_claims
from antiphon.envs.decisions import decisions
from antiphon.text.mentions import fold
from antiphon.text.script import language_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from antiphon.envs.acknowledgement.rules import Label, Rule
    from antiphon.envs.acknowledgement.turns import ToolTurn
    from antiphon.messages import ToolSpec
    from antiphon.trace import Trace

Check = Literal["place", "length", "repetition", "language", "detail", "promise"]
MANNERS: tuple[Check, ...] = ("length", "repetition", "language", "detail")
_ALIKE = 0.8  # share of common words from which two acknowledgements are the same filler
_DETAIL = re.compile(
    r"\b(?:api|json|sql|http|database|backend|back end|server|endpoint|function|parameters?|arguments?|tool|tools"
    r"|schema|query the|system prompt|null|payload|script)\b|\w+\(\)"
    r"|接口|函数|数据库|参数|调用|后台|后端|工具|提示词|代码|服务器|字段|脚本"
)
_PROMISE = re.compile(
    r"\b(?:i|we) (?:guarantee|promise)\b|\bguaranteed\b|\bdefinitely\b|\bfor sure\b|\bwill be (?:done|placed|booked|ready|fixed)\b"
    r"|\bwithout fail\b|\b(?:no|any) problem at all\b"
    r"|保证|一定(?:能|会|可以|帮)|肯定(?:能|会|可以|没)|绝对(?:能|会|可以|没)|包在我身上|马上就能?办?好"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an acknowledgement may be: words, or Han characters in Mandarin."""

    words: int = 15
    han: int = 25


@dataclass(frozen=True, slots=True)
class TurnReport:
    """One tool-call turn: its label, the words before its calls, and what is wrong with them, by check.

    `value` is 0 when the place is wrong or something is promised; otherwise each wrong manner of four costs a
    quarter. Silence where nothing is required is worth 1.
    """

    step: int
    label: Label
    text: str
    wrong: Mapping[Check, str] = field(default_factory=dict[Check, str])

    @property
    def value(self) -> float:
        """The turn's score from 0 to 1."""
        if "place" in self.wrong or "promise" in self.wrong:
            return 0.0
        return 1 - sum(each in self.wrong for each in MANNERS) / len(MANNERS)


@dataclass(frozen=True, slots=True)
class Report:
    """A whole dialogue. `strays` are acknowledgements, by step, that no tool call follows: each counts as a turn of
    value 0. `first_acknowledgement` and `first_answer` are found each by itself."""

    turns: tuple[TurnReport, ...]
    strays: Mapping[int, str]
    first_acknowledgement: Landmark | None
    first_answer: Landmark | None

    @property
    def value(self) -> float | None:
        """The mean over turns and strays; None where there is neither."""
        values = [*(turn.value for turn in self.turns), *(0.0 for _ in self.strays)]
        return sum(values) / len(values) if values else None


def evaluate(
    trace: Trace,
    rules: Sequence[Rule],
    specs: Mapping[str, ToolSpec],
    deeds: Collection[str] = (),
    limits: Limits | None = None,
) -> Report:
    """Check every tool-call turn of a trace. `deeds` are the tools that do things, for claims of success."""
    turns = tool_turns(trace, specs)
    late, strays = _elsewhere(trace, turns)
    found: list[TurnReport] = []
    before: list[str] = []
    for turn, label in zip(turns, labels(rules, turns), strict=True):
        wrong: dict[Check, str] = {}
        if (place := _place(turn, label, late)) is not None:
            wrong["place"] = place
        if turn.text:
            wrong |= dict(_manners(turn, before, specs, limits or Limits()))
            if (promise := _promise(trace, turn, deeds)) is not None:
                wrong["promise"] = promise
            before.append(turn.text)
        found.append(TurnReport(turn.begin, label, turn.text, wrong))
    return Report(tuple(found), strays, first(trace, "acknowledgement"), first(trace, "answer"))


def _elsewhere(trace: Trace, turns: Sequence[ToolTurn]) -> tuple[dict[int, str], dict[int, str]]:
    """Acknowledgements in replies that call nothing: those after a turn's results, by the turn's step, and others,
    by their own."""
    late: dict[int, str] = {}
    strays: dict[int, str] = {}
    begins = {turn.begin for turn in turns}
    previous: int | None = None
    ended = 0
    for decision in decisions(trace):
        if any(step.role == "user" and step.text for step in trace.steps[ended : decision.begin]):
            previous = None
        ended = decision.end
        if decision.begin in begins:
            previous = decision.begin
        elif acknowledges(decision.proposal.text):
            if previous is None:
                strays[decision.begin] = decision.proposal.text
            else:
                late[previous] = decision.proposal.text
    return late, strays


def _place(turn: ToolTurn, label: Label, late: Mapping[int, str]) -> str | None:
    there = acknowledges(turn.text)
    if turn.begin in late:
        return f"said after the call: {late[turn.begin][:60]!r}"
    if label == "required" and not there:
        return "required, and nothing tells that work is starting"
    if label == "disallowed" and there:
        return f"disallowed, and said: {turn.text[:60]!r}"
    return None


def _manners(
    turn: ToolTurn, before: Sequence[str], specs: Mapping[str, ToolSpec], limits: Limits
) -> Iterator[tuple[Check, str]]:
    language = language_of(turn.text)
    count, most = len(units(turn.text)), limits.han if language == "zh" else limits.words
    if count > most:
        yield "length", f"{count} {'characters' if language == 'zh' else 'words'}; at most {most}"
    said = next((each for each in before if alike(each, turn.text)), None)
    if said is not None:
        yield "repetition", f"said before: {said[:60]!r}"
    if turn.heard and language != (spoken := language_of(turn.heard)):
        yield "language", f"in {language}, and the partner speaks {spoken}"
    if (detail := _detail(turn.text, specs)) is not None:
        yield "detail", f"speaks of {detail!r}"


def alike(one: str, other: str) -> bool:
    """Whether two texts are the same filler: most of their words are common."""
    first_words, second_words = set(units(one)), set(units(other))
    common = len(first_words & second_words)
    return bool(common) and common >= _ALIKE * len(first_words | second_words)


def _detail(text: str, specs: Mapping[str, ToolSpec]) -> str | None:
    """A name of a tool or parameter that is no plain word, or a word for how things work inside."""
    words = fold(text)
    names = {*specs, *(name for spec in specs.values() for name in spec.parameters.get("properties", {}))}
    named = next((name for name in sorted(names) if "_" in name and fold(name) in words), None)
    if named is not None:
        return named
    found = _DETAIL.search(words)
    return found[0] if found else None


def _promise(trace: Trace, turn: ToolTurn, deeds: Collection[str]) -> str | None:
    """A claim of success before the call, or a guarantee."""
    claims = premature_claims(trace.steps[: turn.begin + 1], deeds)
    claimed = next((each.words for each in claims if each.step == turn.begin), None)
    if claimed is not None:
        return f"says {claimed!r} before it is true"
    found = _PROMISE.search(fold(turn.text))
    return f"promises {found[0]!r}" if found else None
