"""The five human-labelled judge sets of EVA-Bench (MIT), with our own prompts for their criteria.

Read from `judge_validation_datasets.tar.gz`, or from its folder. Published next to them are accuracy and
macro F1 of the authors' judges (`PUBLISHED`), each over three runs.
"""

from __future__ import annotations

import json
import re
import tarfile
import textwrap
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antiphon.bench.calibration.labelled import Labelled, Labels
from antiphon.errors import ConfigError, DataError, unknown
from antiphon.judge.prompt import read as read_prompt

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from antiphon.judge.prompt import Prompt

ARCHIVE = "judge_validation_datasets.tar.gz"
PROMPTS = Path(__file__).parent / "prompts"
Row = dict[str, Any]

# Set → the authors' judge, accuracy and macro F1 in percent (README of the sets).
PUBLISHED = {
    "faithfulness": ("Claude Opus 4.6", 83.9, 80.7),
    "agent_speech_fidelity": ("Gemini 3.1 Pro", 89.6, 85.6),
    "conciseness": ("GPT-5.2", 92.3, 83.8),
    "conversation_progression": ("GPT-5.2", 79.9, 78.2),
}


def read_eva(path: Path, names: Collection[str] = ()) -> list[Labels]:
    """The sets, or those of these names. `path` is the archive, its folder, or a folder that holds one.

    Raises ConfigError for a place without them or a name that is no set, DataError for a broken row.
    """
    for name in names:
        if name not in SETS:
            raise unknown("set", name, set(SETS), "or give a file of your own labels")
    files = _files(path)
    found = [_labels(path, name, files) for name in SETS if not names or name in names]
    rules = _rules(path)
    return [
        replace(labels, prompt=labels.prompt.with_criteria(rules))
        if labels.name == "faithfulness" and labels.prompt is not None
        else labels
        for labels in found
    ]


def _labels(path: Path, name: str, files: dict[str, bytes]) -> Labels:
    rows = list(_rows(path, name, files))
    try:
        return SETS[name](name, rows)
    except (KeyError, TypeError) as error:
        raise DataError(f"{path}/{name}.jsonl", f"a row lacks its {error}") from error


def _rules(path: Path) -> str:
    """The airline agent's rules, where EVA-Bench's file with them lies beside the sets: a YAML block."""
    file = (path if path.is_dir() else path.parent) / "airline_agent.yaml"
    if not file.is_file():
        return "(not at hand: judge by the call alone)"
    found = re.search(
        r"^instructions: \|\n((?:[ ]+.*\n|\n)+)", file.read_text(encoding="utf-8"), re.MULTILINE
    )
    if found is None:
        raise DataError(file, "holds no block of instructions")
    return textwrap.dedent(found[1]).strip().replace("{", "(").replace("}", ")")


def _files(path: Path) -> dict[str, bytes]:
    archive = path / ARCHIVE if path.is_dir() else path
    folder = path / ARCHIVE.removesuffix(".tar.gz") if path.is_dir() else path
    for place in (path, folder):
        if found := {file.stem: file.read_bytes() for file in sorted(place.glob("*.jsonl"))}:
            return found
    if not archive.is_file():
        raise ConfigError(f"no {ARCHIVE} in {path}; it is part of EVA-Bench (ServiceNow/eva, MIT)")
    with tarfile.open(archive) as opened:
        members = [
            (member, opened.extractfile(member)) for member in opened if member.name.endswith(".jsonl")
        ]
        return {Path(member.name).stem: file.read() for member, file in members if file is not None}


def _rows(path: Path, name: str, files: dict[str, bytes]) -> Iterator[Row]:
    if name not in files:
        raise DataError(path, f"holds no {name}.jsonl")
    for line, text in enumerate(files[name].decode().splitlines(), start=1):
        try:
            yield json.loads(text)
        except ValueError as error:
            raise DataError(f"{path}/{name}.jsonl", f"not JSON: {error}", line=line) from None


def _entities(name: str, rows: list[Row]) -> Labels:
    """Right or wrong for every entity that the labellers named; finding the entities is not measured."""
    found: list[Labelled] = []
    for call, row in enumerate(rows):
        for turn in row["labels"]:
            for place, entity in enumerate(turn["entities"]):
                heard = str(entity["transcribed_value"]).strip() or "missing"
                kind = str(entity["type"]).replace("_", " ")
                fields = {"question": kind, "answer": str(entity["value"]), "response": heard}
                label = bool(entity["correct"])
                found.append(Labelled(f"{call}-{turn['turn_id']}-{place}", fields, label, len(heard)))
    return Labels(name, tuple(found), _prompt("eva_key_entities"))


def _concise(name: str, rows: list[Row]) -> Labels:
    """Every rated turn, with the turns before it."""
    found: list[Labelled] = []
    for row in rows:
        said: list[str] = []
        for turn in row["conv_turns"]:
            if "expected_rating" in turn:
                fields = {"history": "\n".join(said), "response": turn["content"]}
                place = f"{row['id']}-{turn['position']}"
                found.append(Labelled(place, fields, float(turn["expected_rating"]), len(turn["content"])))
            said.append(f"{'Caller' if turn['role'] == 'user' else 'Agent'}: {turn['content']}")
    return Labels(name, tuple(found), _prompt("eva_conciseness"))


def _calls(prompt: str) -> Callable[[str, list[Row]], Labels]:
    def labels(name: str, rows: list[Row]) -> Labels:
        found: list[Labelled] = []
        for row in rows:
            events = row["trace"]
            agent = sum(
                len(event["utterance"]) for event in events if event["event_type"] == "agent_utterance"
            )
            fields = {"response": "\n".join(map(_event, events))}
            found.append(Labelled(str(row["id"]), fields, float(row["expected_rating"]), agent))
        return Labels(name, tuple(found), _prompt(prompt))

    return labels


def _event(event: Row) -> str:
    match event["event_type"]:
        case "user_utterance":
            return f"Caller: {event['utterance']}"
        case "agent_utterance":
            return f"Agent: {event['utterance']}"
        case "tool_call":
            return f"Tool call: {event['tool_name']} {json.dumps(event['params'], ensure_ascii=False)}"
        case _:
            shown = json.dumps(event["response"], ensure_ascii=False)
            return f"Tool result: {event['tool_name']} {shown}"


def _spoken(name: str, rows: list[Row]) -> Labels:
    reason = "a judge would have to hear the recordings (audio_id), and they are not part of the sets"
    found = [Labelled(str(row["id"]), {}, row["expected_rating"] == 1, 0) for row in rows]
    return Labels(name, tuple(found), None, reason)


SETS: dict[str, Callable[[str, list[Row]], Labels]] = {
    "key_entity_transcription": _entities,
    "conciseness": _concise,
    "faithfulness": _calls("eva_faithfulness"),
    "conversation_progression": _calls("eva_progression"),
    "agent_speech_fidelity": _spoken,
}


@lru_cache
def _prompt(name: str) -> Prompt:
    choices = ("yes", "no") if name == "eva_key_entities" else ()
    return read_prompt(PROMPTS / f"{name}.txt", choices, 5 if choices else 3)
