"""`Budget`: how many calls, or how much money, one judging may take. It stops before it would exceed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antiphon.models.ports import Reply, Request

# Every verdict that was not asked for says so in these words; readers of a kept run know it by them.
NOT_ASKED = "not asked: "
_OVERHEAD_TOKENS = 32  # what a chat template puts around one message


@dataclass(slots=True)
class Budget:
    """A limit on calls and on USD; None is no limit. `price` is USD per million tokens in and out.

    A call holds the most that it can cost (a token has at least one byte) until its reply says what it did
    cost. What fails, or reports no usage, counts as held. Retries of one call count once.
    """

    most_calls: int | None = None
    most_usd: float | None = None
    price: tuple[float, float] | None = None
    calls: int = 0
    usd: float = 0.0

    def hold(self, request: Request, *, paid: bool) -> float | str:
        """Take what a call may cost at most, and give it back as a number; or why it must not be made."""
        if self.most_calls is not None and self.calls >= self.most_calls:
            return f"{NOT_ASKED}the judge's {self.most_calls} calls are made"
        sent = sum(len(message.text.encode()) + _OVERHEAD_TOKENS for message in request.messages)
        held = self._cost(sent, request.sampling.max_tokens or 0) if paid else 0.0
        if self.most_usd is not None and self.usd + held > self.most_usd:
            return f"{NOT_ASKED}{self.usd:.4g} of {self.most_usd:g} USD are spent, and the next call may exceed it"
        self.calls += 1
        self.usd += held
        return held

    def settle(self, held: float, reply: Reply) -> None:
        """Replace what was held by what the reply did cost, where it says so."""
        if held == 0:
            return
        usage, cost = reply.usage, reply.cost_usd
        if cost is None and usage.prompt_tokens is not None and usage.completion_tokens is not None:
            cost = self._cost(usage.prompt_tokens, usage.completion_tokens)
        if cost is not None:
            self.usd += cost - held

    def _cost(self, sent: float, given: float) -> float:
        into, out = self.price or (0.0, 0.0)
        return (sent * into + given * out) / 1e6
