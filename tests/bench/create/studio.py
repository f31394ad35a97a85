"""Fakes for the creation pipeline: scripted writers, a whole scripted creation, scorers that say what they are told."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antiphon.bench.create.draft import Draft
from antiphon.bench.create.pipeline import create
from antiphon.bench.create.plan import Plan
from antiphon.bench.create.writer import Writer
from antiphon.cache import Store
from antiphon.clock import VirtualClock
from antiphon.ids import hash_bytes
from antiphon.jsonl import dumps
from antiphon.judge.judge import Judge
from antiphon.models.scripted import Line, ScriptedChat
from antiphon.stage.progress import Silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.audio.clip import Clip
    from antiphon.bench.create.created import Created
    from antiphon.models.ports import Invalid


def writer(*answers: tuple[str, str]) -> Writer:
    """Answers by the first (part of the request, answer) that fits."""
    lines = [Line(match=match, text=text) for match, text in answers]
    return Writer(ScriptedChat("writer", lines, VirtualClock()), Store(Path("unused")))


def judge(answer: str) -> Judge:
    """Gives one verdict on everything."""
    return Judge(ScriptedChat("judge", [Line(text=answer)], VirtualClock()))


def draft(question: str = "法国的首都是哪里？", answer: str = "巴黎", **changes: Any) -> Draft:
    """A Mandarin knowledge question."""
    base = Draft("0001", "general_knowledge", "zh", question, answer, given=question, source="own")
    return replace(base, **changes)


class Scorer:
    """Gives the same columns for every clip."""

    def __init__(self, **columns: float) -> None:
        self.name = f"fake scorer of {', '.join(columns)}"
        self.names = tuple(columns)
        self._columns = columns

    async def score(self, clips: Sequence[Clip]) -> list[dict[str, float] | Invalid]:
        return [dict(self._columns) for _ in clips]


# One English question that is translated, one with options that goes without them, one that keeps them, one to chat.
QUESTIONS = (
    {"id": "q1", "question": "What is the capital of France?", "answer": "Paris", "subset": "knowledge"},
    {"id": "q2", "question": "中国最长的河是哪条？", "options": ["黄河", "长江"], "answer": "B", "subset": "knowledge"},
    {"id": "q3", "question": "下面哪个是质数？", "options": ["四", "九", "七"], "answer": "七", "subset": "general_knowledge"},
    {"id": "q4", "question": "小明要搬家，我送他什么好？", "answer": "相册。", "subset": "single_round", "category": "Suggestion"},
)  # fmt: skip

_ADAPT = "现在改这个：\n问题："
_ANSWER = "不要解释。\n\n"
_TAG = "\n\n只写一个词：中国"
SCRIPT = (
    ("问题：What is the capital of France?", "问题：法国的首都是哪里？\n答案：巴黎"),
    (f"答案：巴黎{_TAG}", "外国"),
    (f"答案：长江{_TAG}", "中国"),
    (f"{_ADAPT}法国的首都是哪里？", "问题：请问法国的首都在哪里？"),
    (f"{_ADAPT}中国最长的河是哪条？", "问题：中国最长的河是哪条？"),
    (f"{_ADAPT}下面哪个是质数？", "问题：下面哪个是质数？"),
    (f"{_ADAPT}梁启航要搬家", "问题：梁启航要搬家了，我送他什么好呢？"),
    ("现在这段话：小明", "人名：小明"),
    (f"{_ANSWER}请问法国的首都在哪里？", "是巴黎。"),
    (f"{_ANSWER}中国最长的河是哪条？", "长江。"),
    (f"{_ANSWER}下面哪个是质数？四、九还是七？", "七。"),
    (f"{_ANSWER}下面哪个是质数？", "二。"),
)
NAMES = {"pools": {"人名": ["梁启航"]}}


def source(folder: Path, rows: Sequence[dict[str, Any]] = QUESTIONS) -> Path:
    """The questions as a file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "questions.jsonl"
    path.write_text("".join(dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def script(path: Path, *answers: tuple[str, str], **more: Any) -> str:
    """A scripted chat model as a file: its URI."""
    rows = [{"match": match, "text": text, **more} for match, text in answers]
    path.write_text("".join(dumps(row) + "\n" for row in rows), encoding="utf-8")
    return f"scripted:{path}"


def plan(folder: Path, **changes: Any) -> Plan:
    """A creation in which every part is scripted."""
    questions = source(folder)
    names = folder / "names.json"
    names.write_text(dumps(NAMES), encoding="utf-8")
    base = Plan(
        source=str(questions),
        name="trial",
        chat=script(folder / "writer.jsonl", *SCRIPT),
        judge=script(folder / "judge.jsonl", ("回答：七。", "正确"), ("*", "错误")),
        synthesizer="scripted:",
        transcriber="scripted:",
        names=str(names),
    )
    return replace(base, **changes)


def perform(made: Plan, out: Path) -> Created:
    """Create, in silence."""
    return asyncio.run(create(made, out, lambda _: Silent()))


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder by its hash, locks and what a kill left half-written aside."""
    return {
        str(path.relative_to(folder)): hash_bytes(path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }
