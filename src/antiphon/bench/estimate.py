"""Before a run: what would be asked, and roughly how long and how dear it would be."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from antiphon.bench.suite import Evidence
from antiphon.bench.takes import Said, Take
from antiphon.errors import ConfigError
from antiphon.jsonl import dumps

if TYPE_CHECKING:
    from antiphon.bench.run import Plan

# Measured on two cores of a server CPU with the embedded parts; a laptop is usually faster.
SPEECH_S_PER_CHARACTER = {"zh": 0.22, "en": 0.065}
KOKORO_RTF = 0.8
WHISPER_S = {1: 1.4, 5: 2.0}
LLM_TOKENS_PER_S = 30.0
SCORING_RTF = {"distillmos": 0.15, "dnsmos": 0.5}
JUDGE_S = 3.0
REPLY_TOKENS = 60
CHARACTERS_PER_TOKEN = {"zh": 1.6, "en": 4.0}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A plan in numbers. `seconds` is None where the system's speed is not known; `usd` where no
    price was given. Upper bounds: replies are taken at their cap, and every judged metric is asked."""

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
        raise ConfigError(
            f"--price takes two numbers, USD per million tokens in and out, not {text!r}"
        ) from None
    return first, second


def estimate(plan: Plan, usd_per_million: tuple[float, float] | None) -> Estimate:
    """Count a plan's items and calls, and add up what the embedded parts would take."""
    items = plan.items
    calls, judge_tokens = _judge_calls(plan)
    embedded = plan.system in ("cascade:", "embedded:")
    seconds = _seconds(plan) + (calls * JUDGE_S if plan.instruments.judge else 0) if embedded else None
    cost = 0.0 if embedded and plan.instruments.judge in (None, "embedded:") else None
    if usd_per_million is not None:
        cap = plan.suite.max_tokens or 300
        asked = sum(len(item.question) / CHARACTERS_PER_TOKEN.get(item.language, 2.0) for item in items)
        given = 0.0 if embedded else asked * usd_per_million[0] + len(items) * cap * usd_per_million[1]
        cost = (given + (judge_tokens * usd_per_million[0] if plan.instruments.judge else 0)) / 1e6
    return Estimate(
        suite=plan.suite.name,
        system=plan.system,
        subsets=dict(Counter(item.subset for item in items)),
        items=len(items),
        to_speak=sum(item.audio is None for item in items),
        seconds=seconds,
        judge_calls=calls if plan.instruments.judge else 0,
        judge_tokens=judge_tokens if plan.instruments.judge else 0,
        usd=cost,
    )


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


def _judge_calls(plan: Plan) -> tuple[int, int]:
    """Calls and prompt tokens if no keyword settled anything: an upper bound."""
    calls = tokens = 0
    for item in plan.items:
        said = Said("？", None, 0.0, "stop", None)
        take = Take(item.id, item.subset, None, 0.0, item.speech, (said,))
        for metric in plan.suite.metrics[plan.scoring]:
            ask = metric.ask(Evidence(item, take)) if metric.ask and metric.covers(item) else None
            if ask is not None:
                calls += 1
                characters = len(ask.prompt.fill(ask.fields))
                tokens += round(characters / CHARACTERS_PER_TOKEN["zh"]) + REPLY_TOKENS
    return calls, tokens
