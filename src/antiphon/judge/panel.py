"""`Panel`: several judges, or one asked several times, whose opinions make one verdict."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from antiphon.errors import UnavailableError
from antiphon.judge.judge import Opinion, Verdict, settled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.judge.judge import Ask, Judge
    from antiphon.judge.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Panel:
    """Members in the order of their URIs, each `repeat` times with its own seed.

    The rule: a member that does not answer this kind of prompt stays out. Of the others more than half
    must give a verdict, or the panel's is invalid. Yes or no is what most of those say, and a tie is
    invalid; a score is their median, of an even number the mean of the two in the middle.
    """

    members: tuple[Judge, ...]
    repeat: int = 1

    @property
    def judges(self) -> tuple[Judge, ...]:
        """One of each member, whatever the repetition."""
        return self.members[:: self.repeat]

    @property
    def name(self) -> str:
        names = " + ".join(judge.name for judge in self.judges)
        if self.repeat == 1:
            return f"panel of {len(self.members)}: {names}"
        each = " each" if len(self.judges) > 1 else ""
        return f"{names}, {self.repeat} times{each} at temperature {self.members[0].temperature:g}"

    def refusal(self, prompt: Prompt) -> str | None:
        """Why nobody here answers this kind of prompt; None when somebody does."""
        refusals = [judge.refusal(prompt) for judge in self.judges]
        return None if None in refusals else refusals[0]

    async def verdict(self, ask: Ask) -> Verdict:
        """Everybody's opinion, and what it comes to. A member whose call failed for now makes the whole
        verdict one that is asked again: the others' answers are in the cache by then. Raises
        UnavailableError when nobody answers this kind of prompt."""
        if (why := self.refusal(ask.prompt)) is not None:
            raise UnavailableError(why, "give another judge: --judge URI")
        found = await asyncio.gather(*(settled(member, ask) for member in self.members))
        opinions = tuple(map(_opinion, self.members, found))
        value, problem = decide(opinions)
        late = next((verdict for verdict in found if verdict.transient), None)
        if late is not None:
            return Verdict(
                None, late.status, said(opinions), late.problem, ask.prompt.label, self.name,
                transient=True, opinions=opinions,
            )  # fmt: skip
        return Verdict(
            value,
            "invalid" if value is None else "valid",
            said(opinions),
            problem,
            ask.prompt.label,
            self.name,
            cached=all(verdict.cached for verdict in found),
            opinions=opinions,
        )


def decide(opinions: Sequence[Opinion]) -> tuple[bool | float | None, str | None]:
    """The panel's verdict by its rule, or why there is none."""
    asked = [opinion for opinion in opinions if opinion.status != "unavailable"]
    values = [opinion.verdict for opinion in asked if opinion.verdict is not None]
    if 2 * len(values) <= len(asked):
        problem = next((opinion.problem for opinion in asked if opinion.problem), "nobody was asked")
        return None, f"only {len(values)} of {len(asked)} gave a verdict: {problem}"
    if isinstance(values[0], bool):
        yes = sum(map(bool, values))
        if 2 * yes == len(values):
            return None, f"a tie, {yes} to {yes}"
        return 2 * yes > len(values), None
    return float(median(values)), None


def said(opinions: Sequence[Opinion]) -> str:
    """Every member's answer in one text, for people."""
    several = len({opinion.seed for opinion in opinions}) > 1
    return "\n".join(
        f"{opinion.judge}{f' ({opinion.seed + 1})' if several else ''}: {opinion.answer or opinion.problem}"
        for opinion in opinions
    )


def _opinion(member: Judge, verdict: Verdict) -> Opinion:
    return Opinion(verdict.judge, member.seed, verdict.value, verdict.answer, verdict.status, verdict.problem)
