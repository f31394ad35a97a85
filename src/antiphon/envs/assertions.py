"""Behavioural assertions: predicates run here, words go to a judge; only violations are recorded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antiphon.envs.predicates import BUILT_IN
from antiphon.envs.story import Story, transcript
from antiphon.errors import DomainError
from antiphon.judge.judge import Ask
from antiphon.judge.prompt import Prompt, read

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antiphon.envs.task import Assertion, Task
    from antiphon.judge.judge import Verdict as Judged

_PROHIBITION = re.compile(
    r"^\W*(?:the\s+)?(?:agent|assistant|it|客服|坐席|助手)?\s*"
    r"(?:(?:must|should|shall|may|can|do|does|did|is|will)\s*(?:not|n't)|cannot|can't|don't|doesn't|shouldn't|never"
    r"|must\s+never|should\s+never|不得|不能|不可|不要|不应|禁止|不许|绝不)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Violation:
    """An assertion that an episode broke, and how."""

    assertion: str
    why: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's answer about one assertion: `kept` is None when there is none, and `problem` says why."""

    assertion: str
    kept: bool | None
    answer: str
    judge: str
    prompt: str
    problem: str | None = None


def predicate_of(name: str, own: Mapping[str, Callable[..., str | None]]) -> Callable[..., str | None]:
    """A predicate of the domain, or a built-in one. Raises DomainError naming those there are."""
    found = own.get(name) or BUILT_IN.get(name)
    if found is None:
        raise DomainError(f"no predicate {name!r}; there are: {', '.join(sorted({*own, *BUILT_IN}))}")
    return found


def violation(
    assertion: Assertion, story: Story, own: Mapping[str, Callable[..., str | None]]
) -> Violation | None:
    """How an episode breaks an assertion that is a predicate. Raises DomainError when the predicate fails."""
    why = _run(assertion.predicate, assertion.arguments, story, own)
    return None if why is None else Violation(assertion.text, why)


def applies(assertion: Assertion, story: Story, own: Mapping[str, Callable[..., str | None]]) -> bool:
    """Whether the precondition of an assertion came about; without one it always applies."""
    if assertion.when is None:
        return True
    return _run(assertion.when.predicate, assertion.when.arguments, story, own) is None


def _run(
    name: str, arguments: Mapping[str, Any], story: Story, own: Mapping[str, Callable[..., str | None]]
) -> str | None:
    check = predicate_of(name, own)
    try:
        why = check(story, **arguments)
    except Exception as error:  # a domain's own code; a check that fails has checked nothing
        raise DomainError(f"predicate {name} raised {type(error).__name__}: {error}") from error
    if why is not None and not isinstance(why, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DomainError(f"predicate {name} returned {why!r}; it returns what is violated in words, or None")
    return why


def is_positive(assertion: Assertion, task: Task, own: Mapping[str, Callable[..., str | None]]) -> bool:
    """Whether an agent that does and says nothing breaks it. Of words only their form can tell: a prohibition
    ("must not", 不得) is none."""
    if assertion.when is not None:
        return False
    if not assertion.predicate:
        return _PROHIBITION.match(assertion.text) is None
    return _run(assertion.predicate, assertion.arguments, Story((), task, {}, {}), own) is not None


@cache
def prompt() -> Prompt:
    """The question to a judge about one assertion in words."""
    return read(Path(__file__).parent / "prompts" / "assertion.txt", ("kept", "violated"))


def ask(assertion: Assertion, story: Story) -> Ask:
    """What a judge is asked about an assertion in words."""
    return Ask(prompt(), {"criteria": assertion.text, "response": transcript(story)})


def judgement(assertion: Assertion, judged: Judged) -> Judgement:
    """A judge's verdict, kept with its raw answer, model and prompt version."""
    kept = None if judged.value is None else bool(judged.value)
    return Judgement(assertion.text, kept, judged.answer, judged.judge, judged.prompt, judged.problem)
