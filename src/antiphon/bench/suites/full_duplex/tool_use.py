"""Version 3.0: which tools were called, with which arguments, and what was said about it.

`paper` averages tools, arguments and answers over the samples in which the agent spoke at all, as its scripts do:
an agent that says nothing is not held against it there. `strict` counts every sample. Arguments and answers need
a judge; beside it stands the exact comparison into which the published script falls when its judge fails.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from antiphon.bench.metrics.judged import verdict_of
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Metric, NoValue, Value
from antiphon.bench.suites.full_duplex.judging import ask_arguments, ask_response
from antiphon.bench.suites.full_duplex.sides import said, words_of
from antiphon.bench.suites.full_duplex.subsets import TASKS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antiphon.bench.suite import Evidence, Scoring
    from antiphon.bench.takes import Called
    from antiphon.judge.judge import Ask

Pair = tuple[
    dict[str, Any], dict[str, Any] | None
]  # expected arguments, and those of the call, None without one


def f1(expected: Sequence[str], called: Sequence[str]) -> float:
    """F1 of the tools' names as multisets. Nothing expected and nothing called is 1."""
    matched = sum((Counter(expected) & Counter(called)).values())
    recall = matched / len(expected) if expected else 1.0
    precision = matched / len(called) if called else 1.0
    return 2 * recall * precision / (recall + precision) if recall + precision > 0 else 0.0


def pairs(expected: Sequence[Mapping[str, Any]], calls: Sequence[Called]) -> list[Pair]:
    """Each expected call with the first call of that tool that is not taken yet."""
    left = list(calls)
    found: list[Pair] = []
    for want in expected:
        call = next((one for one in left if one.name == want["function"]), None)
        if call is not None:
            left.remove(call)
        found.append((want["args"], None if call is None else call.arguments))
    return found


def same(expected: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether every expected argument is there and alike but for case and underscores; "$…" is any value."""
    return all(
        key in given and (str(value).startswith("$") or _plain(value) == _plain(given[key]))
        for key, value in expected.items()
    )


def _plain(value: object) -> object:
    return value.lower().strip().replace("_", " ") if isinstance(value, str) else value


def spoke(scoring: Scoring, evidence: Evidence) -> bool | NoValue:
    """Whether the agent spoke at all: a recognised word."""
    words = words_of(scoring, evidence, "agent")
    return words if isinstance(words, NoValue) else bool(words)


def _counted(scoring: Scoring, evidence: Evidence) -> NoValue | None:
    """Why a sample does not count under `paper`; None where it does."""
    if scoring == "strict":
        return None
    found = spoke(scoring, evidence)
    if isinstance(found, NoValue):
        return found
    return (
        None
        if found
        else NoValue("excluded", "the agent says nothing, and paper counts only where it speaks")
    )


def _expected(evidence: Evidence) -> list[dict[str, Any]]:
    return list(evidence.item.extra["expected_calls"])


def _calls(evidence: Evidence) -> tuple[Called, ...]:
    return evidence.take.calls if evidence.take is not None else ()


def selection(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """F1 of the names of the tools."""
    if (out := _counted(scoring, evidence)) is not None:
        return out
    wanted = [call["function"] for call in _expected(evidence)]
    called = [call.name for call in _calls(evidence)]
    value = f1(wanted, called)
    return Value(
        round(value, 3) if scoring == "paper" else value, evidence={"expected": wanted, "called": called}
    )


def exact_arguments(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Share of the expected calls that were made with the same arguments, letter by letter but for case."""
    if (out := _counted(scoring, evidence)) is not None:
        return out
    found = pairs(_expected(evidence), _calls(evidence))
    if not found:
        return _no_call(scoring)
    right = [given is not None and same(wanted, given) for wanted, given in found]
    return Value(sum(right) / len(right), evidence={"right": sum(right), "expected": len(right)})


def _no_call(scoring: Scoring) -> Value | NoValue:
    return Value(1.0) if scoring == "paper" else NoValue("excluded", "no call is expected")


def _ask_arguments(evidence: Evidence) -> Ask | None:
    """None where no expected tool was called: then there is nothing to compare."""
    found = [(want, given) for want, given in _named_pairs(evidence) if given is not None]
    if not found:
        return None
    expected = "; ".join(f"{name}({json.dumps(args, ensure_ascii=False)})" for (name, args), _ in found)
    called = "; ".join(f"{name}({json.dumps(given, ensure_ascii=False)})" for (name, _), given in found)
    return ask_arguments(expected, called, len(found))


def _named_pairs(evidence: Evidence) -> list[tuple[tuple[str, dict[str, Any]], dict[str, Any] | None]]:
    expected = _expected(evidence)
    found = pairs(expected, _calls(evidence))
    return [((want["function"], args), given) for want, (args, given) in zip(expected, found, strict=True)]


def arguments(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Share of the expected calls with right arguments, as judged; a call that was not made is wrong."""
    if (out := _counted(scoring, evidence)) is not None:
        return out
    found = pairs(_expected(evidence), _calls(evidence))
    if not found:
        return _no_call(scoring)
    if all(given is None for _, given in found):
        return Value(0.0, evidence={"right": 0, "expected": len(found)})
    right = verdict_of("argument_accuracy", evidence)
    if isinstance(right, NoValue):
        return right
    return Value(right.value / len(found), evidence={**right.evidence, "expected": len(found)})


def passed(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where exactly the expected tools were called, all with right arguments as judged; over all samples."""
    return _passed(evidence, lambda: _judged_all(scoring, evidence))


def passed_exactly(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """The same by the exact comparison."""
    del scoring
    found = pairs(_expected(evidence), _calls(evidence))
    return _passed(
        evidence, lambda: Value(float(all(given is not None and same(want, given) for want, given in found)))
    )


def _passed(evidence: Evidence, right: Callable[[], Value | NoValue]) -> Value | NoValue:
    wanted = Counter(call["function"] for call in _expected(evidence))
    called = Counter(call.name for call in _calls(evidence))
    if wanted != called:
        told = {
            "missing": sorted((wanted - called).elements()),
            "unexpected": sorted((called - wanted).elements()),
        }
        return Value(0.0, evidence=told)
    return right() if wanted else Value(1.0)


def _judged_all(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    del scoring
    right = verdict_of("argument_accuracy", evidence)
    if isinstance(right, NoValue):
        return right
    return Value(float(right.value == len(_expected(evidence))), evidence=right.evidence)


def _reply(scoring: Scoring, evidence: Evidence) -> str | NoValue:
    words = words_of(scoring, evidence, "agent")
    return words if isinstance(words, NoValue) else said(words)


def _ask_reply(scoring: Scoring, evidence: Evidence) -> Ask | None:
    text = _reply(scoring, evidence)
    return (
        None
        if isinstance(text, NoValue) or not text or not evidence.item.answer
        else ask_response(evidence, text)
    )


def reply(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the agent's words show that all was done, as judged against the scripted answer."""
    if (out := _counted(scoring, evidence)) is not None:
        return out
    if not evidence.item.answer:
        return NoValue("excluded", "the sample has no scripted answer")
    text = _reply(scoring, evidence)
    if isinstance(text, NoValue):
        return text
    return verdict_of("response_quality", evidence) if text else Value(0.0, evidence={"words": ""})


def tool_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """The metrics of tool use, named as in the paper's Table 11."""

    def made(
        name: str, title: str, what: str, measure: Callable[[Scoring, Evidence], Value | NoValue], *needs: str,
        ask: Callable[[Evidence], Ask | None] | None = None,
    ) -> Metric:  # fmt: skip
        return Metric(
            MetricInfo(name, title, "%", "higher", 1, what, True),
            lambda item: TASKS.get(item.subset) == "tools",
            partial(measure, scoring), needs, ask,
        )  # fmt: skip

    return (
        made("tool_selection", "ToolSel", "F1 of the names of the tools called (FDB v3.0).", selection),
        made(
            "argument_accuracy", "ArgAcc", "Expected calls with right arguments, as judged (FDB v3.0).",
            arguments, "judge", ask=_ask_arguments,
        ),
        made(
            "response_quality", "RespQual", "The words show that all was done, as judged (FDB v3.0).",
            reply, "judge", "transcript", ask=partial(_ask_reply, scoring),
        ),
        made("pass_1", "Pass@1", "Exactly the expected tools, all arguments right, as judged (FDB v3.0).", passed, "judge"),
        made("argument_accuracy_exact", "ArgAcc, exact", "The same, compared letter by letter but for case.", exact_arguments),
        made("pass_1_exact", "Pass@1, exact", "The same, compared letter by letter but for case.", passed_exactly),
    )  # fmt: skip
