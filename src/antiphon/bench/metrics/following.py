"""Instruction following: words as judged; for paralinguistic items the sentence, its speed and its emotion.

A paralinguistic item follows only where every part does: "violating any aspect is considered a fail"
(VocalBench-zh C.1). A part without value leaves the item without one: counting what fails anyway would count
failures only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from antiphon.bench.metrics.clarity import speech_error
from antiphon.bench.metrics.emotions import FIVE, emotions
from antiphon.bench.metrics.judged import fields_of, verdict_of
from antiphon.bench.metrics.syllable_error import syllable_error
from antiphon.bench.metrics.wish import Wish, wish_of
from antiphon.bench.metrics.word_error import word_error
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Evidence, Metric, NoValue, Value
from antiphon.judge.judge import Ask
from antiphon.text.normalise import words

if TYPE_CHECKING:
    from antiphon.bench.items import Item
    from antiphon.bench.suite import Scoring
    from antiphon.judge.prompt import Prompt

# The asked sentence was heard where its error rate is below this: as for spoken answers in Mandarin, as the
# published code has it in English (VocalBench, its utils/read_score_instruction.py).
SAME_BELOW = {"zh": 0.05, "en": 0.2}
SURE_ABOVE = 0.5
# Reply duration over the asked sentence's, both ends left out (the published code's bounds).
SPEEDS = {"twice": (0.25, 0.75), "half": (1.5, 2.5)}

Measure = Callable[[Evidence], Value | NoValue]


def paralinguistic(item: Item) -> bool:
    """Whether an instruction is about how to speak."""
    return item.subset == "instruction_following" and item.category == "Paralinguistic"


def _gap(evidence: Evidence, need: str) -> NoValue | None:
    found = evidence.gaps.get(need)
    return NoValue(*found) if found else None


def _wish(evidence: Evidence) -> Wish | NoValue:
    found = wish_of(evidence.item)
    return NoValue("invalid", found) if isinstance(found, str) else found


def _repeated(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Strict: the asked sentence was heard. Paper: the judge said yes, and the reply's own words were heard."""
    wish = _wish(evidence)
    if isinstance(wish, NoValue):
        return wish
    if gap := _gap(evidence, "transcript"):
        return gap
    if scoring == "paper":
        return _repeated_as_published(evidence)
    if evidence.said.clip is None and evidence.heard is None:
        return NoValue("excluded", "the reply has no speech")
    if evidence.heard is None:
        return NoValue("invalid", "the reply's speech was not recognised; `antiphon score` tries again")
    language = evidence.item.language
    measure = word_error if language == "en" else syllable_error
    error = measure(wish.sentence, evidence.heard.text)
    if error.value is None:
        return NoValue("invalid", error.reason or "the sentence has nothing to compare")
    return Value(
        float(error.value < _same_below(language)),
        evidence={"asked": wish.sentence, "error_rate": error.value},
    )


def _same_below(language: str) -> float:
    return SAME_BELOW["en" if language == "en" else "zh"]


def _repeated_as_published(evidence: Evidence) -> Value | NoValue:
    if gap := _gap(evidence, "judge"):
        return gap
    judged, error = verdict_of("following_rate", evidence), speech_error("paper", evidence)
    if isinstance(judged, NoValue) or isinstance(error, NoValue):
        return judged if isinstance(judged, NoValue) else error
    right = judged.value == 1.0 and error.value < _same_below(evidence.item.language)
    return Value(float(right), evidence={**judged.evidence, "error_rate": error.value})


def sentence_s(item: Item, sentence: str, query_s: float) -> float:
    """How long the sentence takes in the question, spoken at one rate: its share of the question's units."""
    language = "en" if item.language == "en" else "zh"
    return query_s * len(words(sentence, language)) / len(words(item.question, language))


def _in_speed(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Strict: against the sentence. Paper: against the whole question, instruction included.

    The published code means to correct by word counts, but splits Mandarin at spaces, so its correction is
    always 1: a reply at normal speed is "twice as fast", and one at half speed is never slow enough.
    """
    wish = _wish(evidence)
    if isinstance(wish, NoValue) or wish.speed is None:
        return wish if isinstance(wish, NoValue) else NoValue("excluded", "no speed is asked for")
    said, take = evidence.said, evidence.take
    if said.duration_s <= 0:
        return NoValue("excluded", "the reply has no speech")
    if take is None or take.query_s <= 0:
        return NoValue("unavailable", "the question's sound is not known, so neither is its speed")
    asked_s = take.query_s if scoring == "paper" else sentence_s(evidence.item, wish.sentence, take.query_s)
    ratio = said.duration_s / asked_s
    low, high = SPEEDS[wish.speed]
    return Value(float(low < ratio < high), evidence={"asked": wish.speed, "duration_ratio": ratio})


def _in_emotion(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Strict: more likely than the other four together. Paper: of six classes, with the unknown."""
    wish = _wish(evidence)
    if isinstance(wish, NoValue) or wish.emotion is None:
        return wish if isinstance(wish, NoValue) else NoValue("excluded", "no emotion is asked for")
    heard = emotions(evidence, FIVE if scoring == "strict" else (*FIVE, "unknown"))
    if isinstance(heard, NoValue):
        return heard
    return Value(float(heard[wish.emotion] > SURE_ABOVE), evidence={"asked": wish.emotion, "heard": heard})


def _spoken_as_asked(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    wish = _wish(evidence)
    if isinstance(wish, NoValue):
        return wish
    parts: dict[str, Value | NoValue] = {"repeated": _repeated(scoring, evidence)}
    if wish.speed is not None:
        parts["speed"] = _in_speed(scoring, evidence)
    if wish.emotion is not None:
        parts["emotion"] = _in_emotion(scoring, evidence)
    held: dict[str, Any] = {}
    for name, part in parts.items():
        if isinstance(part, NoValue):
            return part
        held[name] = part.value == 1.0
    return Value(float(all(held.values())), evidence=held)


def _follows(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    if paralinguistic(evidence.item):
        return _spoken_as_asked(scoring, evidence)
    return _gap(evidence, "judge") or verdict_of("following_rate", evidence)


def _asks_for(part: str) -> Callable[[Item], bool]:
    def covers(item: Item) -> bool:
        wish = wish_of(item) if paralinguistic(item) else None
        return isinstance(wish, Wish) and getattr(wish, part) is not None

    return covers


def following_metrics(
    scoring: Scoring, prompts_for: Callable[[Item], tuple[Prompt, ...]]
) -> tuple[Metric, ...]:
    """Following rate, and what the paralinguistic part of it is made of."""

    def asks(evidence: Evidence) -> Ask | None:
        if scoring == "strict" and paralinguistic(evidence.item):
            return None
        prompts = prompts_for(evidence.item)
        return Ask(prompts[0], fields_of(evidence.item, evidence.said.text)) if prompts else None

    def part(name: str, title: str, what: str, covers: Callable[[Item], bool], measure: Measure) -> Metric:
        info = MetricInfo(
            name, title, "%", "higher", 1, f"{what} (VocalBench-zh C.1).", percent=True, about="speech"
        )
        return Metric(info, covers, measure)

    following = MetricInfo(
        "following_rate", "Following rate", "%", "higher", 1,
        "Share of instructions followed: in words as judged; paralinguistic ones where the sentence, its "
        "speed and its emotion are all as asked (VocalBench-zh C.1).", True,
    )  # fmt: skip
    return (
        Metric(
            following, lambda item: item.subset == "instruction_following", partial(_follows, scoring), ask=asks
        ),
        part(
            "repetition_rate", "Repeated", "The asked sentence was spoken, with an error rate below 5 % (English: 20 %)",
            paralinguistic, partial(_repeated, scoring),
        ),
        part(
            "speed_rate", "Speed kept", "The sentence took 0.25 to 0.75 of its time where twice the speed was "
            "asked for, 1.5 to 2.5 where half", _asks_for("speed"), partial(_in_speed, scoring),
        ),
        part(
            "emotion_rate", "Emotion shown", "The asked emotion has a probability above a half in the voice",
            _asks_for("emotion"), partial(_in_emotion, scoring),
        ),
    )  # fmt: skip
