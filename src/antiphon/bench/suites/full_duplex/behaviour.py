"""Version 1.5: respond, resume, uncertain or unknown, as a judge sees it and as a rule finds it.

The published classes come from a language model that reads all words in time; here a judge that the user names
answers a prompt of ours. The rule needs no judge: it stands beside the judged rates under strict, by its own
names, and is a coarse reading of the tracks, no replacement.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.metrics.judged import verdict_of
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Metric, NoValue, Value
from antiphon.bench.suites.full_duplex.judging import BEHAVIOURS, ask_behaviour
from antiphon.bench.suites.full_duplex.overlap import AGENT_GAP_S
from antiphon.bench.suites.full_duplex.sides import merged, said, spans_of, words_of
from antiphon.bench.suites.full_duplex.subsets import TASKS

if TYPE_CHECKING:
    from antiphon.bench.suite import Evidence, Scoring
    from antiphon.bench.suites.full_duplex.sides import Words
    from antiphon.judge.judge import Ask

_NOT_HEARD = re.compile(
    r"(did ?n.?t|could ?n.?t|can.?t) (quite |really )?(catch|hear|get|understand|make out)|"
    r"could you (please )?(repeat|say)|(say|repeat) (that|it) again|\bpardon\b|come again|"
    r"what (was that|did you say)|not sure what you",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z']{4,}")
_MATCHED = 0.25  # seconds by which a recogniser may set a word before the sound that it belongs to
_ASKED = "respond"  # the metric under which the judge is asked once for all four


def _after(scoring: Scoring, evidence: Evidence) -> Words | NoValue:
    """The agent's words from the overlap on."""
    words = words_of(scoring, evidence, "agent")
    if isinstance(words, NoValue):
        return words
    start_s = evidence.item.extra["overlap"][0]
    return tuple(word for word in words if word.start_s >= start_s)


def _ask(scoring: Scoring, evidence: Evidence) -> Ask | None:
    """What the judge reads; None where the agent says nothing more, which is unknown by definition."""
    after = _after(scoring, evidence)
    sides = {
        side: words_of(scoring, evidence, side) for side in ("clean_user", "clean_agent", "user", "agent")
    }
    if isinstance(after, NoValue) or not after:
        return None
    lines = [_line("Without the overlap, the person", sides["clean_user"])]
    lines.append(_line("Without the overlap, the assistant", sides["clean_agent"]))
    start_s, end_s = evidence.item.extra["overlap"]
    lines.append(_line("With it, the person's track", sides["user"]))
    lines.append(_line("With it, the assistant before the overlap", sides["agent"], start_s))
    overlap = f"{evidence.item.extra['overlap_text']} ({start_s:.1f} to {end_s:.1f} s)"
    return ask_behaviour("\n".join(lines), overlap, _timed(after))


def _line(who: str, words: Words | NoValue, until_s: float | None = None) -> str:
    if isinstance(words, NoValue):
        return f"{who}: (not recognised)"
    kept = tuple(word for word in words if until_s is None or word.start_s < until_s)
    return f"{who}: {_timed(kept) or '(nothing)'}"


def _timed(words: Words) -> str:
    return " ".join(f"{word.text}@{word.start_s:.1f}" for word in words)


def judged(behaviour: str, scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the judge chose this behaviour."""
    after = _after(scoring, evidence)
    if isinstance(after, NoValue):
        return after
    if not after:
        return Value(
            float(behaviour == "unknown"), evidence={"why": "the agent says nothing after the overlap began"}
        )
    found = verdict_of(_ASKED, evidence)
    if isinstance(found, NoValue):
        return found
    chosen = BEHAVIOURS[round(found.value) - 1]
    return Value(float(behaviour == chosen), evidence={**found.evidence, "behaviour": chosen})


def rule(scoring: Scoring, evidence: Evidence) -> tuple[str, str] | NoValue:
    """The behaviour as the tracks show it, and why.

    Speaking on through the overlap without half a second of silence is resuming. Else the agent's next stretch
    decides: words of not having heard are uncertain; words of four letters or more that only the overlap used
    make it an answer, those that only the request and the answers used make it going on; a tie is unknown.
    """
    spans = spans_of(scoring, evidence, "agent")
    words = words_of(scoring, evidence, "agent")
    if isinstance(spans, NoValue):
        return spans
    if isinstance(words, NoValue):
        return words
    start_s, end_s = evidence.item.extra["overlap"]
    stretches = merged(spans, AGENT_GAP_S)
    if any(start <= start_s and end > end_s for start, end in stretches):
        return "resume", "it spoke on through the overlap"
    new = [span for span in stretches if span[0] > start_s]
    if not new:
        return "unknown", "it says nothing after the overlap began"
    text = said([word for word in words if word.start_s >= new[0][0] - _MATCHED])
    if _NOT_HEARD.search(text):
        return "uncertain", f"it says that it did not hear: {text[:80]}"
    return _by_words(evidence, words, text, start_s)


def _by_words(evidence: Evidence, words: Words, text: str, start_s: float) -> tuple[str, str]:
    extra = evidence.item.extra
    clean = evidence.tracks["clean_agent"].text if "clean_agent" in evidence.tracks else ""
    before = f"{extra['context']} {said([word for word in words if word.start_s < start_s])} {clean or ''}"
    theirs, ours, heard = (_content(one) for one in (extra["overlap_text"], before, text))
    taken_up, gone_on = heard & (theirs - ours), heard & (ours - theirs)
    if len(taken_up) > len(gone_on):
        return "respond", f"words of the overlap: {', '.join(sorted(taken_up))}"
    if gone_on and len(gone_on) > len(taken_up):
        return "resume", f"words of the answer under way: {', '.join(sorted(gone_on))}"
    return "unknown", f"as many words of either: {text[:80]}"


def _content(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def ruled(behaviour: str, scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """1 where the rule finds this behaviour."""
    found = rule(scoring, evidence)
    if isinstance(found, NoValue):
        return found
    return Value(float(found[0] == behaviour), evidence={"behaviour": found[0], "why": found[1]})


_TITLES = {"respond": "Respond", "resume": "Resume", "uncertain": "Uncertain", "unknown": "Unknown"}


def behaviour_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """The four judged rates, and under strict the four that the rule finds."""

    def made(name: str, title: str, what: str) -> MetricInfo:
        return MetricInfo(name, title, "%", "neither", 1, what, True)

    found = [
        Metric(
            made(
                name,
                title,
                f"Share of overlaps after which the agent's behaviour is {name}, as judged (FDB v1.5).",
            ),
            lambda item: TASKS.get(item.subset) == "overlap",
            partial(judged, name, scoring),
            ("judge", "transcript"),  # without a judge the silent ones alone would count
            partial(_ask, scoring) if name == _ASKED else None,
        )
        for name, title in _TITLES.items()
    ]
    if scoring == "strict":
        found += [
            Metric(
                made(
                    f"{name}_by_rule",
                    f"{title}, by rule",
                    f"The same by our rule from both tracks: {name} (ours).",
                ),
                lambda item: TASKS.get(item.subset) == "overlap",
                partial(ruled, name, scoring),
                ("transcript",),
            )
            for name, title in _TITLES.items()
        ]
    return tuple(found)
