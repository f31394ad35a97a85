"""`Judge`: a chat model asked for verdicts; every answer is kept, and no answer is paid for twice."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from antiphon.cache import key_of
from antiphon.errors import ModelError, UnavailableError
from antiphon.judge.parse import bracket, yes_no
from antiphon.judge.tokens import VERDICT_TOKENS
from antiphon.messages import says
from antiphon.models.ports import Request, Sampling, collect
from antiphon.score import Status  # at run time: records hold an Opinion, and are read by their types

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.jsonl import Row
    from antiphon.judge.budget import Budget
    from antiphon.judge.prompt import Prompt
    from antiphon.models.ports import Chat

_DEADLINE_US = 120_000_000


class Answers(Protocol):
    """Where raw answers are kept between runs: `antiphon.cache.Store` is one."""

    def get_row(self, key: str) -> Row | None: ...

    def put_row(self, key: str, row: Row) -> None: ...


@dataclass(frozen=True, slots=True)
class Ask:
    """One verdict wanted: a prompt and what fills it (`response` is the reply's words)."""

    prompt: Prompt
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one member of a panel said, as it said it."""

    judge: str
    seed: int
    verdict: bool | float | None
    answer: str
    status: Status = "valid"
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """True or False, or a score from 1.0 to 5.0; None exactly when `status` is not valid.

    `answer` is the judge's own text, `problem` says why there is no value, `prompt` is name@version;
    `transient`: the call failed or was not made, and may succeed later; `opinions` are a panel's.
    """

    value: bool | float | None
    status: Status
    answer: str
    problem: str | None
    prompt: str
    judge: str
    cached: bool = False
    transient: bool = False
    opinions: tuple[Opinion, ...] = ()


class Asked(Protocol):
    """Who gives verdicts: one judge, or a panel (judge.panel)."""

    @property
    def name(self) -> str: ...

    async def verdict(self, ask: Ask) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class Judge:
    """A chat model as a judge. `references_only` limits a weak one to what it was measured on: yes or
    no, with a reference at hand. Retries belong to `chat` (models.retry). `paid`: its calls cost money,
    and a `budget` in USD counts them."""

    chat: Chat
    references_only: bool = False
    answers: Answers | None = None
    seed: int = 0
    temperature: float = 0.0
    paid: bool = False
    budget: Budget | None = None

    @property
    def name(self) -> str:
        """The model's; what a weak one is limited to is part of it, so that verdicts under other limits don't count."""
        return f"{self.chat.name}, facts only" if self.references_only else self.chat.name

    def knows(self, ask: Ask) -> bool:
        """Whether the answer is kept already, so that asking costs nothing."""
        key = _key(self.name, self.request(ask))
        return self.answers is not None and self.answers.get_row(key) is not None

    def request(self, ask: Ask) -> Request:
        """What the model is asked."""
        return Request(
            messages=(says("user", ask.prompt.fill(ask.fields)),),
            want=frozenset({"text"}),
            sampling=Sampling(self.seed, self.temperature, VERDICT_TOKENS[bool(ask.prompt.choices)]),
            deadline_us=_DEADLINE_US,
            choices=ask.prompt.choices,
        )

    def refusal(self, prompt: Prompt) -> str | None:
        """Why this judge does not answer this kind of prompt; None when it does."""
        if not self.references_only:
            return None
        if not prompt.choices:
            return "the embedded judge does not score 1–5"
        if not prompt.with_reference:
            return "the embedded judge does not decide without a reference answer"
        if not prompt.compares:
            return "the embedded judge does not follow arguments or dialogues"
        return None

    async def verdict(self, ask: Ask) -> Verdict:
        """One verdict. Raises ModelError when the judge cannot be had, UnavailableError when it is not
        offered for this prompt; an answer that is no verdict is an invalid row, not an error."""
        if (why := self.refusal(ask.prompt)) is not None:
            raise UnavailableError(why, "give another judge: --judge URI")
        if not ask.fields.get("response", "").strip():
            return Verdict(
                None, "invalid", "", "the reply has no words to judge", ask.prompt.label, self.name
            )
        request = self.request(ask)
        key = _key(self.name, request)
        kept = self.answers.get_row(key) if self.answers is not None else None
        if kept is not None:
            return self._read(ask.prompt, str(kept["answer"]), cached=True)
        held = self.budget.hold(request, paid=self.paid) if self.budget is not None else 0.0
        if isinstance(held, str):
            return Verdict(None, "not judged", "", held, ask.prompt.label, self.name, transient=True)
        reply = await collect(self.chat, request)
        if self.budget is not None:
            self.budget.settle(held, reply)
        answer = reply.text
        if self.answers is not None:
            self.answers.put_row(key, {"answer": answer, "judge": self.name, "prompt": ask.prompt.label})
        return self._read(ask.prompt, answer, cached=False)

    def _read(self, prompt: Prompt, answer: str, *, cached: bool) -> Verdict:
        parsed = (
            yes_no(answer, prompt.choices) if prompt.choices else bracket(answer, prompt.top, prompt.bottom)
        )
        status: Status = "invalid" if parsed.value is None else "valid"
        return Verdict(parsed.value, status, answer, parsed.problem, prompt.label, self.name, cached)


async def verdicts(judge: Asked, asks: Sequence[Ask], in_flight: int = 4) -> list[Verdict]:
    """A verdict for every ask, in order; a refusal is *unavailable*, a failed call *invalid*."""
    slots = asyncio.Semaphore(in_flight)

    async def one(ask: Ask) -> Verdict:
        async with slots:
            return await settled(judge, ask)

    return list(await asyncio.gather(*(one(ask) for ask in asks)))


async def settled(judge: Asked, ask: Ask) -> Verdict:
    """A verdict in any case: a refusal is *unavailable*, a failed call *invalid*."""
    try:
        return await judge.verdict(ask)
    except UnavailableError as error:
        return Verdict(None, "unavailable", "", error.what, ask.prompt.label, judge.name)
    except ModelError as error:
        return Verdict(
            None, "invalid", "", str(error), ask.prompt.label, judge.name, transient=error.transient
        )


def _key(judge: str, request: Request) -> str:
    sampling = request.sampling
    return key_of(
        judge,
        [message.text for message in request.messages],
        list(request.choices),
        [sampling.seed, sampling.temperature, sampling.max_tokens],
    )
