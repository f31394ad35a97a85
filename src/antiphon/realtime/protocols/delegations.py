"""Work that leaves a Live session, and what comes of it: delegations, acknowledgements, results.

What the model gives away is a tool call; the conversation goes on meanwhile. Its result comes back as commentary
(spoken) or as the output of a function; thinking is known, and not spoken.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from antiphon.errors import WireError
from antiphon.messages import ToolResult
from antiphon.models.wire import live
from antiphon.realtime import events
from antiphon.realtime.protocols.live_settings import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.clock import Clock
    from antiphon.messages import ToolCall
    from antiphon.models.wire.ga.shapes import Event, Json
    from antiphon.realtime.live.driver import Driver

_UNDER_WAY = (
    "The work has begun, and nothing is known of its result. Tell the person in a few words that you are on it; "
    "claim nothing, promise nothing."
)
_SPEAK = (
    "Speak to the person now, in your own words, about this: "  # a piece of news, or a wish to be followed
)
_MOST_WAITING = 128


@dataclass
class _Work:
    """One delegation. `due_us`: when it is acknowledged unless something is said before; None: it is not."""

    call: ToolCall
    item: str | None
    due_us: int | None
    returned: bool = False


class Delegations:
    """Those of one session; `settle` tells it where work goes."""

    def __init__(
        self, session: str, driver: Driver, say: Callable[[Event], None], ms: Callable[[], int], clock: Clock
    ) -> None:
        self._session, self._driver, self._say, self._ms, self._clock = session, driver, say, ms, clock
        self._settings = live.DelegationSettings(type="client")
        self._names = count(1)
        self._works: dict[str, _Work] = {}
        self._acknowledging: set[asyncio.Task[None]] = set()
        self._results: list[ToolResult] = []
        self._waiting: list[tuple[str, str]] = []  # messages for the background model: role, words

    def settle(self, settings: live.DelegationSettings) -> None:
        """From now on work goes there."""
        self._settings = settings

    # ---- what leaves

    def created(self, item: str | None, call: ToolCall) -> None:
        """The model gives work away while it answers `item`."""
        number = next(self._names)
        name = f"delegation_{self._session}_{number}"
        delay_us = (self._settings.acknowledgement_delay_ms or 0) * 1000
        self._works[name] = _Work(call, item, self._driver.desk.now_us() + delay_us)
        response = f"resp_{self._session}_{number}" if self._settings.type == "responses" else None
        made = live.Delegation(id=name, target=self._settings.type, response_id=response)
        self._say(live.DelegationCreated(delegation=made, offset_ms=self._ms()))
        if response is not None:
            self._respond(name, response, call)

    def _respond(self, delegation: str, response: str, call: ToolCall) -> None:
        """The call as a background model tells of it: events of the Responses API."""
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
        model = (self._settings.responses or {}).get("model")
        whole = {
            "id": response, "object": "response", "created_at": int(self._clock.utc().timestamp()), "model": model,
            "output": [], "tools": [], "tool_choice": "auto", "parallel_tool_calls": True,
        }  # fmt: skip
        item = {"type": "function_call", "id": f"fc_{call.id}"[:64], "call_id": call.id, "name": call.name}
        place = {"item_id": item["id"], "output_index": 0}
        done = {**item, "arguments": arguments, "status": "completed"}
        told: list[Json] = [
            {"type": "response.created", "response": {**whole, "status": "in_progress"}},
            {"type": "response.output_item.added", "output_index": 0, "item": {**item, "arguments": "", "status": "in_progress"}},
            {"type": "response.function_call_arguments.delta", **place, "delta": arguments},
            {"type": "response.function_call_arguments.done", **place, "name": call.name, "arguments": arguments},
            {"type": "response.output_item.done", "output_index": 0, "item": done},
            {"type": "response.completed", "response": {**whole, "status": "completed"}},
        ]  # fmt: skip
        for at, event in enumerate(told):
            self._say(live.ResponseEvent(delegation_id=delegation, event={**event, "sequence_number": at}))

    # ---- acknowledgements

    def over(self, item: str, text: str) -> None:
        """An answer is over. If it gave work away without a word, the person is told so after the delay."""
        for name, work in self._works.items():
            if work.item == item and work.due_us is not None:
                if not text.strip():
                    task = asyncio.create_task(self._acknowledge(name, work.due_us))
                    self._acknowledging.add(task)
                    task.add_done_callback(self._acknowledging.discard)
                work.due_us = None

    async def _acknowledge(self, name: str, due_us: int) -> None:
        await self._clock.sleep_us(max(0, due_us - self._driver.desk.now_us()))
        self._driver.desk.put(events.Background, name, _UNDER_WAY)

    def _acknowledge_nothing(self) -> None:
        """Something has come: it says more than an acknowledgement."""
        for work in self._works.values():
            work.due_us = None
        self.close()

    def close(self) -> None:
        """Nobody is told of anything any more."""
        for task in self._acknowledging:
            task.cancel()

    # ---- what comes back

    def appended(self, event: live.ThinkingAppend | live.CommentaryAppend) -> None:
        """Something to know, or to say. Raises WireError for a delegation that there is not."""
        work = self._known(event.delegation_id, str(event.__struct_config__.tag))
        self._acknowledge_nothing()
        job = event.delegation_id or ""
        if isinstance(event, live.ThinkingAppend):
            self._driver.desk.put(
                events.Background, job, f"Known, not to be read out: {event.content}", speaks=False
            )
        elif work is not None and not work.returned:
            work.returned = True
            if not self._driver.asking.returned(ToolResult(work.call.id, event.content)):
                self._driver.desk.put(events.Background, job, event.content)
        else:
            self._driver.desk.put(events.Background, job, f"{_SPEAK}{event.content}")

    def _known(self, name: str | None, event: str) -> _Work | None:
        if name is None:
            return None
        if self._settings.type != "client":
            raise WireError(event, "delegation_id", "is null where work goes to responses")
        if name not in self._works:
            raise WireError(event, "delegation_id", f"no delegation {name!r} in this session")
        return self._works[name]

    def check(self, event: live.InstructionsAppend) -> None:
        """Raises WireError for a delegation that there is not."""
        self._known(event.delegation_id, "session.instructions.append")

    def item(self, item: Json) -> None:
        """Something for the background model. Raises WireError."""
        where = "response.item.create"
        if self._settings.type != "responses":
            raise WireError(where, None, "needs the delegation type responses; this session has client")
        if len(self._waiting) + len(self._results) >= _MOST_WAITING:
            raise WireError(where, "item", f"{_MOST_WAITING} items wait already; send response.create")
        kind, role = item.get("type", "message"), item.get("role")
        if kind == "function_call_output":
            self._results.append(self._result(where, item))
        elif kind == "message" and role in ("user", "system", "developer"):
            self._waiting.append((str(role), text_of(where, "item", item)))
        else:
            raise WireError(where, "item.type", f"no {str(kind)[:40]!r} of {str(role)[:40]!r} here")

    def _result(self, where: str, item: Json) -> ToolResult:
        call, value = item.get("call_id"), item.get("output")
        if not any(work.call.id == call and not work.returned for work in self._works.values()):
            raise WireError(where, "item.call_id", f"no open call {str(call)[:80]!r}")
        if isinstance(value, str):
            with suppress(ValueError, RecursionError):  # plain words are a result too
                value = json.loads(value)
        return ToolResult(str(call), value)

    def respond(self) -> None:
        """The background model goes on: with the results that came, with what was written, or as it is."""
        if self._settings.type != "responses":
            raise WireError(
                "response.create", None, "needs the delegation type responses; this session has client"
            )
        results, self._results = self._results, []
        waiting, self._waiting = self._waiting, []
        if results:
            self._acknowledge_nothing()
        for result in results:
            for work in self._works.values():
                work.returned |= work.call.id == result.call_id
            self._driver.asking.returned(result)
        asked = bool(waiting) and waiting[-1][0] == "user" and not results
        for at, (role, text) in enumerate(waiting):
            if role == "user":
                self._driver.desk.put(events.Typed, text, answer=asked and at == len(waiting) - 1)
            else:
                self._driver.desk.put(events.Background, "", text, speaks=False)
        if not results and not asked:
            self._driver.desk.put(events.Asked)
