from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antiphon.bench.suites.full_duplex.load import load
from antiphon.errors import ConfigError, DataError
from tests.bench.suites.full_duplex.duplex import OVERLAP, folder

PAUSE = [{"text": "[PAUSE]", "timestamp": [3.3, 4.0]}]
SCENARIO = {
    "id": "travel_01",
    "domain": "travel_identity",
    "difficulty": "easy",
    "dialogue": [{"user": "Book a flight for Alice.", "ai": "It is booked."}],
    "expected_tool_calls": [{"function": "book_flight", "args": {"passenger_name": "Alice"}}],
    "disfluency_features": ["FILLER"],
}


def test_version_1_0_is_read_task_by_task(tmp_path: Path):
    said = [
        {"speaker": 0, "item": [{"text": "I", "timestamp": [0, 1]}, {"text": "did", "timestamp": [1, 2]}]}
    ]
    notes: dict[str, dict[str, Any]] = {
        "candor_pause_handling/10": {"pause.json": PAUSE, "transcription.json": said},
        "candor_pause_handling/9": {"pause.json": PAUSE},
        "candor_turn_taking/1": {"turn_taking.json": [{"text": "[TURN-TAKING]", "timestamp": [2.0, 2.4]}]},
        "icc_backchannel/0": {},
        "icc_backchannel/1": {},
        "synthetic_user_interruption/1": {
            "interrupt.json": [{"context": "Books?", "interrupt": "Fiction!", "timestamp": [10.5, 13]}]
        },
    }
    for name, files in notes.items():
        folder(tmp_path / "v1.0" / name, files, "input.wav")
    folder(tmp_path / "v1.0" / "icc_backchannel", {"icc_gt_distribution.json": {"0": [0.5, 0.5]}})
    items = load(tmp_path, "1.0")
    assert [item.id for item in items] == [
        "candor_pause_handling/9", "candor_pause_handling/10", "candor_turn_taking/1", "icc_backchannel/0",
        "icc_backchannel/1", "synthetic_user_interruption/1",
    ]  # fmt: skip
    assert (items[1].question, items[1].extra) == ("I did", {"pauses": [[3.3, 4.0]]})
    assert items[2].extra == {"turn_end": 2.0}
    assert [item.extra for item in items[3:5]] == [{"people": [0.5, 0.5]}, {}]
    assert items[5].extra == {"context": "Books?", "interrupt": "Fiction!", "interruption": [10.5, 13.0]}
    assert [item.speech for item in items[:1] + items[5:]] == ["recorded", "synthetic"]
    assert [item.id for item in load(tmp_path, "1.0", ["icc_backchannel"])] == [
        "icc_backchannel/0",
        "icc_backchannel/1",
    ]


def test_version_1_5_has_a_track_without_the_overlap(tmp_path: Path):
    folder(tmp_path / "user_backchannel" / "3", {"metadata.json": OVERLAP}, "input.wav", "clean_input.wav")
    (item,) = load(tmp_path, "1.5")
    assert item.extra == {
        "context": OVERLAP["context_text"], "overlap_text": OVERLAP["current_turn_text"], "overlap": [4.0, 6.0],
        "clean_audio": "clean_input.wav",
    }  # fmt: skip
    assert load(tmp_path / "user_backchannel", "1.5") == [item]


def test_version_3_0_offers_the_twelve_tools_and_those_that_only_the_data_knows(tmp_path: Path):
    row = {
        **SCENARIO,
        "expected_tool_calls": [
            *SCENARIO["expected_tool_calls"],
            {"function": "call_taxi", "args": {"seats": 2}},
        ],
    }
    folder(tmp_path / "fdb_v3_data_released" / "travel_01_s3", {"metadata.json": row}, "input.wav")
    (item,) = load(tmp_path, "3.0")
    assert (item.id, item.category, item.answer) == (
        "tool_use/travel_01_s3",
        "travel_identity",
        "It is booked.",
    )
    assert len(item.extra["tools"]) == 13
    assert item.extra["tools"][-1]["parameters"]["properties"] == {"seats": {"type": "integer"}}
    assert item.extra["results"]["call_taxi"] == {"status": "ok"}


def test_a_scenario_may_stand_in_the_common_file(tmp_path: Path):
    place = tmp_path / "fdb_v3_data_released"
    folder(place / "travel_01_s3", {"metadata.json": {"example_id": "travel_01"}}, "input.wav")
    folder(tmp_path, {"benchmark_data_v2.json": {"scenarios": [SCENARIO]}})
    assert load(tmp_path, "3.0")[0].extra["expected_calls"] == SCENARIO["expected_tool_calls"]


@pytest.mark.parametrize(
    ("notes", "sounds", "problem"),
    [
        ({"metadata.json": OVERLAP}, ("clean_input.wav",), "input.wav: no such file; every sample has"),
        ({"metadata.json": OVERLAP}, ("input.wav",), "clean_input.wav: no such file; 1.5 compares"),
        ({}, ("input.wav", "clean_input.wav"), "metadata.json: no such file"),
        ({"metadata.json": [1]}, ("input.wav",), "metadata.json: must be one JSON object"),
        (
            {"metadata.json": {**OVERLAP, "timestamps": [6, 4]}}, ("input.wav", "clean_input.wav"),
            r"metadata.json.*timestamps.*must be \[start, end\] in seconds, not \[6, 4\]",
        ),
        (
            {"metadata.json": {**OVERLAP, "context_text": None}}, ("input.wav", "clean_input.wav"),
            "metadata.json.*context_text.*is missing, or no text",
        ),
    ],
)  # fmt: skip
def test_an_odd_sample_is_named_with_its_file(tmp_path: Path, notes: Any, sounds: Any, problem: str):
    folder(tmp_path / "user_interruption" / "1", notes, *sounds)
    with pytest.raises(DataError, match=problem) as caught:
        load(tmp_path, "1.5")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_json_is_named(tmp_path: Path):
    place = folder(tmp_path / "candor_turn_taking" / "1", {}, "input.wav")
    (place / "turn_taking.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"turn_taking.json: cannot be read as JSON"):
        load(tmp_path, "1.0")


def test_a_folder_without_samples_says_what_belongs_there(tmp_path: Path):
    with pytest.raises(
        ConfigError, match=r"holds no sample of full-duplex 1.5; it holds user_interruption, "
    ):
        load(tmp_path, "1.5")
    with pytest.raises(ConfigError, match="no such folder"):
        load(tmp_path / "none", "1.5")
    with pytest.raises(ConfigError, match="has no folder background_speech"):
        load(tmp_path, "1.5", ["background_speech"])
    with pytest.raises(ConfigError, match="no subset 'icc_backchannel'; there are: background_speech"):
        load(tmp_path, "1.5", ["icc_backchannel"])
