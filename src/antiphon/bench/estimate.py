"""Before a run: what would be asked, and roughly how long and how dear it would be."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from math import isfinite, nan
from typing import TYPE_CHECKING

from antiphon.bench.suite import Evidence
from antiphon.bench.takes import Called, Said, Take
from antiphon.bench.tracks import Track
from antiphon.errors import ConfigError
from antiphon.jsonl import dumps
from antiphon.judge.tokens import CHARACTERS_PER_TOKEN, VERDICT_TOKENS
from antiphon.judge.uri import is_paid
from antiphon.models.ports import TimedWord

if TYPE_CHECKING:
    from antiphon.bench.items import Item
    from antiphon.bench.run import Plan

# Measured on two cores of a server CPU with the embedded parts; a laptop is usually faster.
SPEECH_S_PER_CHARACTER = {"zh": 0.22, "en": 0.065}
KOKORO_RTF = 0.8
WHISPER_S = {1: 1.4, 5: 2.0}
LLM_TOKENS_PER_S = 30.0
SCORING_RTF = {"distillmos": 0.15, "dnsmos": 0.5, "utmos22": 0.2}
JUDGE_S = 3.0
REPLY_TOKENS = 60  # of the embedded system, where the suite sets no cap
UNCAPPED_TOKENS = 300
FREE = ("cascade:", "embedded:")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A plan in numbers. `seconds` is None where the system's speed is not known; `usd` where no
    price was given. Upper bounds: replies are taken at their cap, and every judged metric is asked of
    every judge, as often as it is repeated; no verdict is taken to be in the cache.
    Words are counted, not sound: endpoints that charge for audio tokens cost more."""

    suite: str
    system: str
    subsets: dict[str, int]
    items: int
    to_speak: int
    seconds: float | None
    judge_calls: int
    judge_tokens: int
    usd: float | None

    def say(self, *, as_json: bool) -> str:
        """For a program, or for a person."""
        if as_json:
            return dumps(asdict(self))
        lines = [f"{self.suite} with {self.system}: {self.items} items"]
        lines += [f"  {count:5}  {subset}" for subset, count in self.subsets.items()]
        lines.append(f"questions to speak: {self.to_speak}")
        known = f"about {self.seconds / 60:.0f} min on two cores" if self.seconds is not None else "unknown"
        lines.append(f"time: {known}{'' if self.seconds is not None else ' (depends on the endpoint)'}")
        if self.judge_calls:
            lines.append(f"judge: up to {self.judge_calls} calls, about {self.judge_tokens} tokens")
        lines.append(
            f"cost: {'not known; add --price IN,OUT' if self.usd is None else f'up to {self.usd:.2f} USD'}"
        )
        return "\n".join(lines)


def price(text: str | None) -> tuple[float, float] | None:
    """USD per million tokens in and out, from "IN,OUT". Raises ConfigError."""
    if text is None:
        return None
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        first = second = nan
    if not (isfinite(first) and isfinite(second) and min(first, second) >= 0):
        raise ConfigError(f"--price takes two numbers, USD per million tokens in and out, not {text!r}")
    return first, second


def estimate(plan: Plan, usd_per_million: tuple[float, float] | None) -> Estimate:
    """Count a plan's items and calls, and add up what the embedded parts would take."""
    items = plan.items
    judges = plan.instruments.judges
    calls = _judging(plan) if judges else _Calls()
    seconds = _seconds(plan) + calls.number * _waits(plan) * JUDGE_S if plan.system in FREE else None
    bills = [] if plan.system in FREE or plan.system.startswith("engine:") else [_asking(plan)]
    paid = sum(map(is_paid, judges)) * plan.instruments.repeat
    asked = len(judges) * plan.instruments.repeat
    bills += [calls] * paid
    cost = 0.0 if not bills else None
    if usd_per_million is not None:
        sent, given = usd_per_million
        cost = sum(bill.sent * sent + bill.given * given for bill in bills) / 1e6
    return Estimate(
        suite=plan.suite.name,
        system=plan.system,
        subsets=dict(Counter(item.subset for item in items)),
        items=len(items),
        to_speak=sum(item.audio is None for item in items),
        seconds=seconds,
        judge_calls=calls.number * asked,
        judge_tokens=round(calls.sent + calls.given) * asked,
        usd=cost,
    )


def _waits(plan: Plan) -> int:
    """How many calls stand one after the other for one verdict: those that this machine makes itself."""
    judges = plan.instruments.judges
    return max(1, sum(not is_paid(judge) for judge in judges) * plan.instruments.repeat)


def _seconds(plan: Plan) -> float:
    total = 0.0
    cap = plan.suite.max_tokens or REPLY_TOKENS
    listeners = sum(SCORING_RTF.get(uri.partition(":")[0], 0.0) for uri in plan.instruments.scorers)
    for item in plan.items:
        per_character = SPEECH_S_PER_CHARACTER.get(item.language, 0.2)
        if item.audio is None:
            total += len(item.question) * per_character * KOKORO_RTF
        reply_s = cap * CHARACTERS_PER_TOKEN.get(item.language, 2.0) * per_character
        total += WHISPER_S[1] + cap / LLM_TOKENS_PER_S + reply_s * KOKORO_RTF
        total += WHISPER_S[5] * (1 + reply_s // 30) + reply_s * listeners
    return total


@dataclass(slots=True)
class _Calls:
    """Calls to one model, with the tokens sent and given back."""

    number: int = 0
    sent: float = 0.0
    given: float = 0.0

    def add(self, characters: int, per_token: float, given: int) -> None:
        self.number += 1
        self.sent += characters / per_token
        self.given += given


def _asking(plan: Plan) -> _Calls:
    calls = _Calls()
    for item in plan.items:
        asked = len(item.question) + sum(len(turn.text) for turn in item.history)
        per_token = CHARACTERS_PER_TOKEN.get(item.language, 2.0)
        calls.add(asked, per_token, plan.suite.max_tokens or UNCAPPED_TOKENS)
    return calls


def _answering(item: Item, reply: str) -> Evidence:
    return Evidence(item, Take(item.id, item.subset, None, 0.0, (Said(reply, None, 0.0, "stop", None),)))


def _talkative(item: Item, reply: str) -> Evidence:
    """A performance in real time that leaves as much as there can be to judge: long words after everything else,
    and every call that is expected."""
    late_s, lasts_s = 1e6, 10.0
    words = (TimedWord(reply, late_s, late_s + lasts_s),)
    track = Track(reply, words, ((late_s, late_s + lasts_s),), ((late_s, late_s + lasts_s),))
    calls = tuple(
        Called(call["function"], call["args"], late_s) for call in item.extra.get("expected_calls", ())
    )
    take = Take(
        item.id, item.subset, None, 2 * late_s, (Said(reply, None, lasts_s, "stop", None),), calls=calls
    )
    return Evidence(item, take, tracks=dict.fromkeys(("user", "agent", "clean_user", "clean_agent"), track))


def _judging(plan: Plan) -> _Calls:
    """The judge's calls if no keyword settled anything."""
    calls = _Calls()
    reply = "？" * round((plan.suite.max_tokens or UNCAPPED_TOKENS) * CHARACTERS_PER_TOKEN["zh"])
    for item in plan.items:
        evidence = _talkative(item, reply) if plan.suite.live else _answering(item, reply)
        for metric in plan.suite.metrics[plan.scoring]:
            ask = metric.ask(evidence) if metric.ask and metric.covers(item) else None
            if ask is not None:
                given = VERDICT_TOKENS[bool(ask.prompt.choices)]
                calls.add(len(ask.prompt.fill(ask.fields)), CHARACTERS_PER_TOKEN["zh"], given)
    return calls
