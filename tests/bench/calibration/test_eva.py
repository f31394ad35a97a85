from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from antiphon.bench.calibration.eva import ARCHIVE, read_eva
from antiphon.errors import ConfigError, DataError


@pytest.fixture(scope="module")
def eva(data: Path) -> Path:
    folder = data / "eva"
    if not (folder / ARCHIVE).is_file():
        pytest.skip(f"no {ARCHIVE} in {folder}")
    return folder


def test_the_sets_have_the_published_sizes_and_labels(eva: Path) -> None:
    sets = {labels.name: labels for labels in read_eva(eva)}
    assert {
        name: dict(sorted(Counter(row.label for row in one.rows).items())) for name, one in sets.items()
    } == {
        "key_entity_transcription": {False: 181, True: 386},
        "conciseness": {1.0: 93, 2.0: 49, 3.0: 337},
        "faithfulness": {1.0: 57, 2.0: 28, 3.0: 52},
        "conversation_progression": {1.0: 23, 2.0: 58, 3.0: 55},
        "agent_speech_fidelity": {False: 122, True: 25},
    }
    for labels in sets.values():
        assert len({row.id for row in labels.rows}) == len(labels.rows)
        if labels.prompt is None:
            assert labels.reason is not None
            assert "have to hear the recordings" in labels.reason
            continue
        texts = [ask.prompt.fill(ask.fields) for ask in labels.asks(labels.prompt)]
        assert all(
            "{" + name + "}" not in text for text in texts for name in ("answer", "criteria", "response")
        )


def test_a_judge_of_faithfulness_sees_the_rules(eva: Path) -> None:
    (found,) = read_eva(eva, ["faithfulness"])
    assert found.prompt is not None
    text = found.prompt.fill(found.rows[0].fields)
    assert "Every call begins with authentication." in text
    assert "Tool call: get_reservation" in text
    assert "Tool result: get_reservation" in text


def write(folder: Path, name: str, *rows: object) -> Path:
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def test_an_entity_is_a_yes_or_no_with_its_reference(tmp_path: Path) -> None:
    entity = {"type": "flight_number", "value": "SW 4", "transcribed_value": "SW4", "correct": True}
    write(tmp_path, "key_entity_transcription", {"labels": [{"turn_id": 3, "entities": [entity]}]})
    (found,) = read_eva(tmp_path, ["key_entity_transcription"])
    row = found.rows[0]
    assert (row.id, row.label, row.length) == ("0-3-0", True, 3)
    assert row.fields == {"question": "flight number", "answer": "SW 4", "response": "SW4"}
    assert found.prompt is not None
    assert (found.prompt.choices, found.prompt.with_reference) == (("yes", "no"), True)
    assert found.prompt.swapped() is not None


def test_a_turn_is_rated_with_the_turns_before_it(tmp_path: Path) -> None:
    turns = [
        {"position": 1, "role": "user", "content": "Hi."},
        {"position": 2, "role": "agent", "content": "Hello.", "expected_rating": 3},
        {"position": 3, "role": "agent", "content": "Still here?", "expected_rating": 1},
    ]
    write(tmp_path, "conciseness", {"id": 7, "conv_turns": turns})
    (found,) = read_eva(tmp_path, ["conciseness"])
    assert [(row.id, row.label, row.fields["history"]) for row in found.rows] == [
        ("7-2", 3.0, "Caller: Hi."),
        ("7-3", 1.0, "Caller: Hi.\nAgent: Hello."),
    ]
    assert found.prompt is not None
    assert found.prompt.top == 3


def test_what_is_not_there_or_broken_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"no {ARCHIVE} in"):
        read_eva(tmp_path)
    write(tmp_path, "conciseness", {"id": 7})
    with pytest.raises(DataError, match="a row lacks its 'conv_turns'"):
        read_eva(tmp_path, ["conciseness"])
    with pytest.raises(DataError, match=r"holds no faithfulness\.jsonl"):
        read_eva(tmp_path, ["faithfulness"])
    with pytest.raises(ConfigError, match="no set 'faith'; there are: agent_speech_fidelity, "):
        read_eva(tmp_path, ["faith"])
