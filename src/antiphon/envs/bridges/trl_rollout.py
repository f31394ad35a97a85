"""TRL's `rollout_func`: whole calls with the trainer's model, token by token as it sampled them.

    trainer = GRPOTrainer(model, reward_funcs=episode_reward, train_dataset=Dataset.from_list(keys(practice)),
                          rollout_func=rollout_func(practice), args=…)

What the model sampled is never tokenised again; what it heard (callers, results) is appended and masked out.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antiphon.envs.bridges.background import wait_for
from antiphon.errors import ConfigError
from antiphon.jsonl import dumps
from antiphon.messages import ToolCall
from antiphon.models.native import need

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.envs.bridges.practice import Practice
    from antiphon.envs.bridges.seat import Seat, Turn
    from antiphon.messages import ToolSpec

Wire = dict[str, Any]
Rollouts = dict[str, list[Any] | None]

NAME = "trl"
KEY = "task:"
EXTRA = "pip install 'antiphon[trl]'"


def keys(practice: Practice) -> list[Wire]:
    """A dataset for `rollout_func`, which sees the prompt of a row and nothing else: the task's id."""
    return [
        {"prompt": [{"role": "user", "content": f"{KEY}{task.task_id}"}], "task_id": task.task_id}
        for task in practice.tasks
    ]


def episode_reward(episode: Sequence[float | None], **_: Any) -> list[float | None]:
    """The `reward_funcs` that goes with `rollout_func`: 1, 0, or None for an invalid episode."""
    return list(episode)


def rollout_func(practice: Practice) -> Callable[[Sequence[Sequence[Wire]], Any], Rollouts]:
    """A `rollout_func` that plays one episode a prompt, all of a batch side by side."""

    def roll_out(prompts: Sequence[Sequence[Wire]], trainer: Any) -> Rollouts:
        template = Template(trainer.processing_class, trainer.chat_template_kwargs)
        lines = [
            Line(practice.seat(_task_of(prompt), NAME, trial=at), template)
            for at, prompt in enumerate(prompts)
        ]
        wait_for(_all(line.open() for line in lines))
        while talking := [line for line in lines if not line.over]:
            # TRL's one entry for every backend (transformers, vLLM); it has no public name.
            sampled, logprobs = trainer._generate_single_turn(
                [line.prompt_ids + line.completion_ids for line in talking], None, {}, 1
            )
            rooms = [_room(line, trainer) for line in talking]
            probabilities = logprobs if logprobs is not None else [None] * len(talking)
            wait_for(
                _all(
                    line.answer(ids, some, room)
                    for line, ids, some, room in zip(talking, sampled, probabilities, rooms, strict=True)
                )
            )
        found = wait_for(_all(_reward(practice, line) for line in lines))
        return {
            "prompt_ids": [line.prompt_ids for line in lines],
            "completion_ids": [line.completion_ids for line in lines],
            "logprobs": [line.logprobs for line in lines] if all(line.logprobs for line in lines) else None,
            "env_mask": [line.mask for line in lines],
            "episode": found,
        }

    return roll_out


class Template:
    """How a tokenizer writes a conversation: the opening whole, and later what follows a reply. Raises
    UnavailableError without TRL, ConfigError for a chat template without tools."""

    def __init__(self, tokenizer: Any, kwargs: Wire) -> None:
        need("trl", EXTRA)
        from trl import chat_template_utils as trl

        if not trl.supports_tool_calling(tokenizer):
            raise ConfigError(
                "the tokenizer's chat template renders no tool calls; take a model that has them"
            )
        if not any(getattr(tokenizer, name, None) for name in ("response_template", "response_schema")):
            trl.add_response_schema(tokenizer)
        kept = trl.is_chat_template_prefix_preserving(tokenizer)
        self._own = None if kept else trl.get_training_chat_template(tokenizer)
        self._parse = trl.parse_response
        self._tokenizer = tokenizer
        self._kwargs = kwargs
        self.end: int = tokenizer.eos_token_id

    def opening(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> list[int]:
        """Everything up to where the model begins to speak."""
        return self._ids(messages, tools=list(tools), add_generation_prompt=True)

    def heard(self, messages: Sequence[Wire]) -> list[int]:
        """What comes between a reply, its end token included, and the next one."""
        results = [each for each in messages if each["role"] == "tool"]
        calls = [
            {"type": "function", "function": {"name": each["name"], "arguments": {}}} for each in results
        ]
        before: list[Wire] = [{"role": "user", "content": "."}, {"role": "assistant", "content": "."}]
        if calls:
            before[1]["tool_calls"] = calls
        prefix = self._ids(before)
        if self.end in prefix:
            prefix = prefix[: len(prefix) - prefix[::-1].index(self.end)]
        whole = self._ids([*before, *messages], add_generation_prompt=True)
        if whole[: len(prefix)] != prefix:
            raise ConfigError("the chat template writes a reply differently once something follows it")
        return whole[len(prefix) :]

    def reply(self, ids: list[int], prefix: list[int], tools: Sequence[Wire]) -> tuple[str, list[ToolCall]]:
        """What the model said and called; a call that cannot be read stays words."""
        parsed = self._parse(self._tokenizer, ids, prefix=prefix, tools=list(tools))
        calls = [each["function"] for each in parsed.get("tool_calls") or ()]
        return (parsed.get("content") or "").strip(), [
            ToolCall(f"call_{len(prefix)}_{at}", call["name"], call["arguments"])
            for at, call in enumerate(calls)
        ]

    def _ids(self, messages: Sequence[Wire], **more: Any) -> list[int]:
        return self._tokenizer.apply_chat_template(
            list(messages), tokenize=True, return_dict=False, chat_template=self._own, **self._kwargs, **more
        )


@dataclass
class Line:
    """One episode and its tokens: `mask` is 1 where the model sampled, 0 where it heard."""

    seat: Seat
    template: Template
    prompt_ids: list[int] = field(default_factory=list[int])
    completion_ids: list[int] = field(default_factory=list[int])
    mask: list[int] = field(default_factory=list[int])
    logprobs: list[float] = field(default_factory=list[float])
    over: bool = False

    async def open(self) -> None:
        turn = await self.seat.open()
        messages = [{"role": "system", "content": self.seat.system_prompt}, *_wire(turn, ())]
        self.prompt_ids = self.template.opening(messages, self._tools())
        self.over = turn.trace is not None
        if (
            self.over
        ):  # the partner could not be had; TRL wants a completion nevertheless, and trains nothing on it
            self._add([self.template.end], 0, [0.0])

    async def answer(self, ids: list[int], logprobs: list[float] | None, room: int) -> None:
        """Act on what the model sampled. A reply that does not fit into the `room` left (tokens) is not heard."""
        before = self.prompt_ids + self.completion_ids
        kept = ids[: max(room, 0)]
        self._add(kept, 1, logprobs)
        broken_off = len(ids) == room and ids[-1:] != [self.template.end]
        if len(kept) < len(ids) or broken_off:
            await self._cut()
            return
        text, calls = self.template.reply(ids, before, self._tools())
        turn = await self.seat.act(text, calls)
        self.over = turn.trace is not None
        if self.over:
            return
        suffix = self.template.heard(_wire(turn, calls))
        if ids[-1:] != [self.template.end]:
            suffix = [self.template.end, *suffix]
        if len(kept) + len(suffix) >= room:
            await self._cut()
            return
        self._add(suffix, 0, [0.0] * len(suffix) if logprobs is not None else None)

    async def _cut(self) -> None:
        self.over = True
        await self.seat.leave("turn_limit", "the trainer's limit of tokens was reached")

    def _add(self, ids: list[int], sampled: int, logprobs: list[float] | None) -> None:
        self.completion_ids += ids
        self.mask += [sampled] * len(ids)
        if logprobs is not None:
            self.logprobs += logprobs[: len(ids)]

    def _tools(self) -> list[Wire]:
        return [function_of(spec) for spec in self.seat.tools]


def function_of(spec: ToolSpec) -> Wire:
    """A tool as chat templates take it."""
    return {
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": dict(spec.parameters),
        },
    }


def _wire(turn: Turn, calls: Sequence[ToolCall]) -> list[Wire]:
    names = {call.id: call.name for call in calls}
    told = [
        {"role": "tool", "name": names[result.call_id], "content": dumps(result.value)}
        for result in turn.results
    ]
    return [*told, *([{"role": "user", "content": turn.words}] if turn.words or not told else [])]


def _task_of(prompt: Sequence[Wire]) -> str:
    content = prompt[-1]["content"] if prompt else ""
    if not isinstance(content, str) or not content.startswith(KEY):
        raise ConfigError(
            f"a prompt is {KEY}ID, not {str(content)[:40]!r}; build the dataset with trl_rollout.keys"
        )
    return content.removeprefix(KEY)


def _room(line: Line, trainer: Any) -> int:
    """How many tokens may still be added."""
    left = trainer.max_completion_length - len(line.completion_ids)
    longest = getattr(trainer.model.config, "max_position_embeddings", None)
    used = len(line.prompt_ids) + len(line.completion_ids)
    return left if longest is None else min(left, longest - used)


async def _reward(practice: Practice, line: Line) -> float | None:
    return (await practice.outcome(await line.seat.leave())).reward.value


async def _all(works: Any) -> list[Any]:
    return await asyncio.gather(*works)
