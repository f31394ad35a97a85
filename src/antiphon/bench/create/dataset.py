"""The finished dataset: JSON and audio in the published format, a suite folder with its card."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

from antiphon.audio.files import encode, read
from antiphon.bench.create.card import card
from antiphon.bench.folder import clip_name
from antiphon.jsonl import dumps, write_bytes, write_text

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.bench.create.created import Created
    from antiphon.bench.create.draft import Draft

_IN = ("verified", "accepted", "unverified")


def write_dataset(created: Created, folder: Path) -> None:
    """Replace the dataset by what the drafts are now. A kill leaves the old one or the new one, or neither
    with all work kept: the next call writes it again. Raises DataError when the disk is full."""
    part, old = folder.with_name(f".{folder.name}.part"), folder.with_name(f".{folder.name}.old")
    for left in (part, old):
        shutil.rmtree(left, ignore_errors=True)
    subsets: dict[str, list[dict[str, Any]]] = {}
    for draft in created.drafts:
        if kept(created, draft):
            subsets.setdefault(draft.subset, []).append(entry(created, draft))
            _write_sound(created, draft, part)
    for name, entries in subsets.items():
        text = json.dumps(entries, ensure_ascii=False, indent=1)
        write_text(part / "json" / f"{name}.json", f"{text}\n")
    write_text(part / "suite.toml", f"name = {dumps(created.plan.name)}\n")
    write_text(part / "README.md", card(created))
    if folder.exists():
        folder.rename(old)
    part.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def kept(created: Created, draft: Draft) -> bool:
    """Whether a draft is in the dataset: what waits for a person is not; what nobody could verify is,
    labelled, unless only verified drafts were asked for."""
    status = created.decisions.status(draft)
    return status in _IN and not (status == "unverified" and created.plan.verified_only)


def entry(created: Created, draft: Draft) -> dict[str, Any]:
    """A draft as an entry of the published format. The keys after its own are ours: `Voice`, and `Unverified`
    with the reasons where nobody could tell."""
    found: dict[str, Any] = {
        "Set": draft.subset.replace("_", " ").title(),
        "Qid": f"{draft.subset}-{draft.id}",
        "Audio": sound_name(draft),
        "Question": draft.question,
    }
    if draft.history:
        found["Context"] = [{"from": turn.role, "value": turn.text} for turn in draft.history]
    if draft.answer:
        found[draft.shape.answer or "Answer"] = draft.answer
    if draft.category:
        found["Category"] = draft.category
    found["Source"] = draft.source
    found |= draft.extra
    if draft.emotion:
        found |= _emotion(created, draft)
    spoken = draft.spoken
    assert spoken is not None, "a draft without sound is held"
    found["Voice"] = spoken.voice or "default"
    if draft.given != draft.question:
        found["Given"] = draft.given
    if created.decisions.status(draft) == "unverified":
        found["Unverified"] = [mark.reason for mark in draft.marks]
    return found


def _emotion(created: Created, draft: Draft) -> dict[str, Any]:
    """The published keys, misspelt as published; a probability that was not measured is left out."""
    assert draft.spoken is not None, "a draft without sound is held"
    voice = next(voice for voice in created.profiles if voice.name == draft.spoken.voice)
    found: dict[str, Any] = {"Question_emo": draft.emotion, "Question_prmopt": voice.name or "default"}
    if draft.spoken.feeling is not None:
        found["Question_prob"] = draft.spoken.feeling
    if voice.origin == "prompt" and draft.emotion in voice.emotions:
        found["Prompt_prob"] = voice.emotions[draft.emotion]
    return found


def sound_name(draft: Draft) -> str:
    """Where a draft's sound lies below `audio/`."""
    return f"{draft.subset}/{draft.id}.wav"


def _write_sound(created: Created, draft: Draft, part: Path) -> None:
    assert draft.spoken is not None, "a draft without sound is held"
    clip = read(created.folder / clip_name(draft.spoken.clip))
    write_bytes(part / "audio" / sound_name(draft), encode(clip, "wav"))
