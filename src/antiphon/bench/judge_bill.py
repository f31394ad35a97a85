"""What a judging will ask, and what that may cost, once the replies are there: counted, not guessed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from antiphon.jsonl import dumps
from antiphon.judge.panel import Panel
from antiphon.judge.tokens import VERDICT_TOKENS, tokens_in
from antiphon.judge.uri import is_paid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.judgements import Case, Jury
    from antiphon.bench.stages import Stages
    from antiphon.judge.judge import Judge


@dataclass(frozen=True, slots=True)
class Bill:
    """Calls that will be made, `cached` answers that will not be asked for again, and `refused`: kinds of
    prompt that a judge does not answer. `usd` is None without a price; `paid` of the calls cost money."""

    judge: str
    verdicts: int
    calls: int
    cached: int
    refused: int
    paid: int
    tokens_sent: int
    tokens_given: int
    usd: float | None

    def say(self, *, as_json: bool = False) -> str:
        """For a program, or for a person."""
        if as_json:
            return dumps(asdict(self))
        cost = "not known; add --price IN,OUT" if self.usd is None else f"up to about {self.usd:.2f} USD"
        kept = f", {self.cached} answers are in the cache" if self.cached else ""
        refused = f", {self.refused} are of a kind that a judge here does not answer" if self.refused else ""
        return (
            f"judge: {self.judge}\n{self.verdicts} verdicts: {self.calls} calls{kept}{refused}; about "
            f"{self.tokens_sent} tokens in, at most {self.tokens_given} out; cost: {cost}"
        )


def bill(cases: Sequence[Case], jury: Jury) -> Bill:
    """Count the calls that these cases need; prices are those of the jury's budget."""
    opened = jury.open()
    members: tuple[Judge, ...] = opened.members if isinstance(opened, Panel) else (opened,)
    calls = cached = refused = paid = given = 0
    sent = paid_sent = paid_given = 0.0
    for case in cases:
        ask = case.ask
        if not ask.fields.get("response", "").strip():
            continue
        text = ask.prompt.fill(ask.fields)
        size, most = tokens_in(text), VERDICT_TOKENS[bool(ask.prompt.choices)]
        for member in members:
            if member.refusal(ask.prompt) is not None:
                refused += 1
            elif member.knows(ask):
                cached += 1
            else:
                calls, sent, given = calls + 1, sent + size, given + most
                if member.paid:
                    paid, paid_sent, paid_given = paid + 1, paid_sent + size, paid_given + most
    price = jury.budget.price if jury.budget is not None else None
    usd = 0.0 if not paid else None
    if price is not None:
        usd = (paid_sent * price[0] + paid_given * price[1]) / 1e6
    return Bill(opened.name, len(cases), calls, cached, refused, paid, round(sent), given, usd)


def announce(cases: Sequence[Case], jury: Jury, stages: Stages) -> None:
    """Tell a person what will be paid for, before it is."""
    if stages.say is None or not any(map(is_paid, jury.judges)):
        return
    found = bill(cases, jury)
    if found.paid:
        stages.say(found.say())
