"""The tool runner: which calls run, which need the person's yes, which are refused; and those that run now.

Permission comes from the settings and from the person's own yes, given after the question was heard. No text
counts: what a model writes, a tool returns, a job reports or a bystander says is neither proof nor token.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from antiphon.ids import hash_json
from antiphon.messages import ToolResult

if TYPE_CHECKING:
    from antiphon.messages import ToolCall, ToolSpec
    from antiphon.realtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a call, and why."""

    kind: Literal["tool", "confirm", "refuse"]
    reason: str


@dataclass(frozen=True, slots=True)
class Running:
    """A call under way. `generation` is what its results must carry."""

    call: ToolCall
    spec: ToolSpec
    generation: int
    reply: str


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A call is over, for the log: with its result, or cancelled."""

    call: ToolCall
    result: ToolResult
    cancelled: bool = False


@dataclass(slots=True)
class Question:
    """A call that waits for a yes. `after` are the items said by then: a yes counts once a later one was heard."""

    call: ToolCall
    heard: bool = False


def digest(call: ToolCall) -> str:
    """One call by name and arguments: a yes is for exactly this."""
    return hash_json([call.name, dict(call.arguments)])


@dataclass(slots=True)
class Tools:
    """The reducer of tools."""

    settings: Settings
    running: dict[str, Running] = field(default_factory=dict[str, Running])
    questions: dict[str, Question] = field(default_factory=dict[str, Question])
    _granted: set[str] = field(default_factory=set[str])

    def judge(self, call: ToolCall) -> Verdict:
        """Whether the call may run. A granted yes is used up by it."""
        spec = self.spec(call.name)
        if spec is None:
            return Verdict("refuse", f"no tool {call.name!r}")
        need = self.settings.needs.get(call.name)
        if need is not None and not self.settings.capabilities.get(need, False):
            return Verdict("refuse", f"capability {need!r} is off")
        permission = self.settings.permissions.get(call.name, "allow")
        if permission == "deny":
            return Verdict("refuse", f"{call.name!r} is not permitted in this session")
        if permission == "confirm" and digest(call) not in self._granted:
            return Verdict("confirm", f"{call.name!r} needs the person's yes")
        self._granted.discard(digest(call))
        return Verdict("tool", "permitted")

    def spec(self, name: str) -> ToolSpec | None:
        return next((spec for spec in self.settings.tools if spec.name == name), None)

    def ask(self, call: ToolCall) -> None:
        """Wait for a yes to exactly this call."""
        self.questions = {digest(call): Question(call)}

    def heard(self) -> None:
        """Something that the agent said after asking was heard: a yes may refer to it."""
        for question in self.questions.values():
            question.heard = True

    def answered(self, *, yes: bool) -> None:
        """The person's own words after the question: a plain yes grants, anything else withdraws it."""
        for key, question in list(self.questions.items()):
            if question.heard:
                del self.questions[key]
                if yes:
                    self._granted.add(key)

    def pressed(self, call_id: str, *, granted: bool) -> None:
        """The person pressed a button under the question `call_id`."""
        for key, question in list(self.questions.items()):
            if question.call.id == call_id:
                del self.questions[key]
                if granted:
                    self._granted.add(key)

    def interrupted(self) -> list[tuple[str, Running]]:
        """The calls that an interruption ends, taken out."""
        ended = [(name, run) for name, run in self.running.items() if run.spec.cancel_on_interrupt]
        for name, _ in ended:
            del self.running[name]
        return ended

    def blocks(self, reply: str) -> bool:
        """Whether the next answer to this reply's calls has to wait."""
        return any(run.reply == reply and run.spec.blocks_answer for run in self.running.values())


def refusal(call: ToolCall, verdict: Verdict) -> ToolResult:
    """What the model is told of a call that did not run."""
    if verdict.kind == "confirm":
        return ToolResult(call.id, error=f"not done: {verdict.reason}; ask, and call again after it")
    return ToolResult(call.id, error=f"not done: {verdict.reason}")
