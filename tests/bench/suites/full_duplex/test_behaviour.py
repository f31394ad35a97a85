from __future__ import annotations

import pytest

from antiphon.bench.suite import NoValue, Value
from antiphon.bench.suites.full_duplex.behaviour import behaviour_metrics, rule
from tests.bench.suites.full_duplex.duplex import evidence, track, words

EXTRA = {
    "overlap": [4.0, 6.0],
    "context": "What are good places to visit?",
    "overlap_text": "Could you also suggest some restaurants?",
}
BEFORE = words("You could visit the harbour", 2.5)
CLEAN = track(words("You could visit the harbour and then the old museum", 2.5))


def item(*after, spans=None, **more):
    said = (*BEFORE, *after)
    return evidence(
        "user_interruption", EXTRA, agent=track(said, spans), clean_agent=CLEAN, user=track(()), clean_user=track(()), **more
    )  # fmt: skip


def test_speaking_on_through_the_overlap_is_resuming():
    on = item(*words("and then the old museum", 3.75, 0.5), spans=((2.5, 7.0),))
    assert rule("strict", on) == ("resume", "it spoke on through the overlap")


@pytest.mark.parametrize(
    ("said", "behaviour"),
    [
        ("There are fine restaurants near the station", "respond"),
        ("And then the old museum", "resume"),
        ("Sorry, I didn't catch that", "uncertain"),
        ("Could you please repeat the question about restaurants", "uncertain"),
        ("Well yes", "unknown"),
        ("The restaurants are beside the museum", "unknown"),  # one word of either
    ],
)
def test_what_the_next_stretch_says_decides(said, behaviour):
    found = rule("strict", item(*words(said, 7.0), spans=((2.5, 4.2), (7.0, 9.0))))
    assert found[0] == behaviour


def test_nothing_more_is_unknown():
    assert rule("strict", item(spans=((2.5, 4.2),))) == ("unknown", "it says nothing after the overlap began")


def test_the_judge_is_asked_once_and_its_number_is_a_behaviour():
    judged = {metric.info.name: metric for metric in behaviour_metrics("strict")}
    assert [name for name, metric in judged.items() if metric.ask is not None] == ["respond"]
    spoken = item(*words("And then the old museum", 7.0), judged={"respond": 2.0})
    ask = judged["respond"].ask(spoken)
    assert (ask.prompt.bottom, ask.prompt.top, ask.fields["response"].split()[0]) == (1, 4, "And@7.0")
    assert "With it, the assistant before the overlap: You@2.5" in ask.fields["history"]
    rates = {name: judged[name].score(spoken).value for name in ("respond", "resume", "uncertain", "unknown")}
    assert rates == {"respond": 0.0, "resume": 1.0, "uncertain": 0.0, "unknown": 0.0}


def test_silence_needs_no_judge_but_counts_only_where_there_is_one():
    judged = {metric.info.name: metric for metric in behaviour_metrics("paper")}
    silent = item()
    assert judged["respond"].ask(silent) is None
    assert judged["unknown"].measure(silent) == Value(
        1.0, evidence={"why": "the agent says nothing after the overlap began"}
    )
    silent.gaps["judge"] = ("not judged", "no judge was given")  # type: ignore[index]
    assert judged["unknown"].score(silent).status == "not judged"


def test_a_judge_without_an_answer_gives_no_behaviour():
    judged = {metric.info.name: metric for metric in behaviour_metrics("strict")}
    assert judged["resume"].measure(item(*words("And", 7.0))) == NoValue(
        "invalid", "the judge gave no verdict; `antiphon judge` asks again"
    )


def test_the_rule_is_no_part_of_paper():
    assert not any(metric.info.name.endswith("_by_rule") for metric in behaviour_metrics("paper"))
