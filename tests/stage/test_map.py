from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, DataError, ModelError, UnavailableError
from antiphon.stage.map import Finished, Settings, map_records
from antiphon.stage.outcome import Failed, Failure, Made
from antiphon.stage.seal import read_sealed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence
    from pathlib import Path

    from antiphon.stage.outcome import Outcome


@dataclass(frozen=True)
class Note:
    KIND: ClassVar[str] = "note"
    V: ClassVar[int] = 1
    word: str


class Notes:
    """A worker factory whose worker writes a row about each word, and remembers what it was asked."""

    def __init__(self) -> None:
        self.opened = 0
        self.closed = 0
        self.batches: list[list[str]] = []
        self.raises: dict[str, Exception] = {}
        self.fails: dict[str, Failed] = {}
        self.turns: dict[str, int] = {}  # of the event loop, before it answers
        self.signals: dict[str, asyncio.Event] = {}

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Any]:
        self.opened += 1
        yield self.perform
        self.closed += 1

    async def perform(self, words: Sequence[str]) -> list[Outcome]:
        self.batches.append(list(words))
        for word in words:
            if word in self.signals:
                self.signals[word].set()
            if word in self.raises:
                raise self.raises[word]
        for word in words:
            for _ in range(self.turns.get(word, 0)):
                await asyncio.sleep(0)
        return [self.fails.get(word) or _note(word) for word in words]

    @property
    def asked(self) -> list[str]:
        return [word for batch in self.batches for word in batch]


def _note(word: str) -> Made:
    return Made({"kind": "note", "v": 1, "word": word}, {f"clips/{word}.flac": word.encode() * 3})


def mapped(notes: Any, words: Sequence[str], out: Path, **options: Any) -> Coroutine[Any, Any, Finished]:
    given: dict[str, Any] = {"key": str, "fingerprint": {"notes": 1}, "clock": VirtualClock(), **options}
    return map_records(words, notes, out=out, **given)


def run(notes: Any, words: Sequence[str], out: Path, **options: Any) -> Finished:
    return asyncio.run(mapped(notes, words, out, **options))


def run_and_cancel_at(word: str, notes: Notes, words: Sequence[str], out: Path, **options: Any) -> None:
    async def scenario() -> None:
        notes.signals[word] = asyncio.Event()
        stage = asyncio.create_task(mapped(notes, words, out, **options))
        await notes.signals[word].wait()
        stage.cancel()
        await stage

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(scenario())


def row(word: str) -> str:
    return f'{{"kind":"note","v":1,"key":"{word}","word":"{word}"}}\n'


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "run" / "notes.jsonl"


def test_every_record_gets_a_row_in_input_order_and_its_blob(out: Path) -> None:
    notes = Notes()
    done = run(notes, ["乙", "甲", "丙"], out)
    assert done == Finished(out, rows=3, failed=0, reused=0, made=3, seconds=0.0)
    assert out.read_text() == row("乙") + row("甲") + row("丙")
    assert (out.parent / "clips/甲.flac").read_bytes() == "甲甲甲".encode()
    assert files(out.parent) == [
        ".lock", "clips/丙.flac", "clips/乙.flac", "clips/甲.flac", "notes.jsonl", "notes.stage.json",
    ]  # fmt: skip
    assert (notes.opened, notes.closed) == (1, 1)


def test_no_records_make_an_empty_file_and_open_no_worker(out: Path) -> None:
    notes = Notes()
    assert run(notes, [], out) == Finished(out, 0, 0, 0, 0, 0.0)
    assert out.read_bytes() == b""
    assert notes.opened == 0


def test_the_order_of_finishing_does_not_show(out: Path) -> None:
    notes = Notes()
    notes.turns = {"a": 50, "b": 20, "c": 0, "d": 7}
    run(notes, list("abcd"), out, settings=Settings(in_flight=4))
    assert out.read_text() == "".join(map(row, "abcd"))


def test_no_more_batches_are_in_flight_than_asked_for(out: Path) -> None:
    running, most = 0, 0

    @asynccontextmanager
    async def open_counter() -> AsyncIterator[Any]:
        async def count(words: Sequence[str]) -> list[Outcome]:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            return [_note(word) for word in words]

        yield count

    run(open_counter, list("abcdefgh"), out, settings=Settings(in_flight=3))
    assert most == 3


def test_batches_hold_as_many_records_as_asked_for(out: Path) -> None:
    notes = Notes()
    run(notes, list("abcde"), out, settings=Settings(batch=2))
    assert notes.batches == [["a", "b"], ["c", "d"], ["e"]]
    assert out.read_text() == "".join(map(row, "abcde"))


def test_a_second_run_performs_nothing_and_leaves_the_file_alone(out: Path) -> None:
    run(Notes(), list("abc"), out)
    inode = out.stat().st_ino
    again = Notes()
    assert run(again, list("abc"), out) == Finished(out, 3, 0, 3, 0, 0.0)
    assert (again.opened, out.stat().st_ino) == (0, inode)


def test_resuming_repeats_transient_failures_and_keeps_permanent_ones(out: Path) -> None:
    first = Notes()
    first.fails = {"b": Failed("no voice", transient=False)}
    first.raises = {
        "c": ModelError("http://x", "busy", transient=True),
        "d": DataError("d.wav", "is no sound"),
    }
    assert run(first, list("abcd"), out) == Finished(out, 4, 3, 0, 4, 0.0)
    broken_c = Failure("c", "http://x: busy", transient=True)
    kept = [Failure("b", "no voice", transient=False), Failure("d", "d.wav: is no sound", transient=False)]
    assert _failures(out) == [kept[0], broken_c, kept[1]]
    assert out.read_text().splitlines()[2] == (
        '{"kind":"failure","v":1,"key":"c","reason":"http://x: busy","transient":true}'
    )

    second = Notes()
    assert run(second, list("abcd"), out) == Finished(out, 4, 2, 3, 1, 0.0)
    assert second.asked == ["c"]
    assert _failures(out) == kept
    assert out.read_text().splitlines(keepends=True)[2] == row("c")


def _failures(out: Path) -> list[Failure]:
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    return [Failure(r["key"], r["reason"], r["transient"]) for r in rows if r["kind"] == "failure"]


def test_one_bad_record_does_not_fail_its_batch(out: Path) -> None:
    notes = Notes()
    notes.raises = {"b": DataError("b.wav", "is no sound")}
    done = run(notes, list("abc"), out, settings=Settings(batch=3))
    assert (done.failed, _failures(out)) == (1, [Failure("b", "b.wav: is no sound", transient=False)])
    assert notes.batches == [["a", "b", "c"], ["a"], ["b"], ["c"]]


def test_a_batch_that_met_a_busy_endpoint_is_left_for_the_next_run(out: Path) -> None:
    notes = Notes()
    notes.raises = {"b": ModelError("http://x", "busy", transient=True)}
    done = run(notes, list("abc"), out, settings=Settings(batch=3))
    assert (done.failed, notes.batches) == (3, [["a", "b", "c"]])


def test_two_records_with_one_key_are_refused(out: Path) -> None:
    with pytest.raises(ConfigError, match=r"two records for .*notes\.jsonl have the key 'a'"):
        run(Notes(), ["a", "b", "a"], out)
    assert not out.parent.exists()


def test_an_unfinished_journal_is_not_continued_under_another_fingerprint(out: Path) -> None:
    _break_off(out, "abc", at="b")
    with pytest.raises(ConfigError, match=r"were made with notes 1 \(now 2\)"):
        run(Notes(), list("abc"), out, fingerprint={"notes": 2})


def _break_off(out: Path, words: str, at: str) -> None:
    notes = Notes()
    notes.raises = {at: ConfigError("no key in OPENAI_API_KEY; export it")}
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        run(notes, list(words), out)


def test_a_config_error_ends_the_stage_and_loses_nothing(out: Path) -> None:
    _break_off(out, "abcd", at="c")
    assert not out.exists()
    again = Notes()
    assert run(again, list("abcd"), out) == Finished(out, 4, 0, 2, 2, 0.0)
    assert again.asked == ["c", "d"]
    assert out.read_text() == "".join(map(row, "abcd"))
    assert not out.with_name("notes.journal.jsonl").exists()


def test_an_unavailable_worker_keeps_its_type_and_remedy(out: Path) -> None:
    @asynccontextmanager
    async def open_nothing() -> AsyncIterator[Any]:
        raise UnavailableError("whisper is not here", "pip install 'antiphon[local]'")
        yield

    with pytest.raises(UnavailableError, match="whisper is not here; pip install"):
        run(open_nothing, ["a"], out)


def test_a_bug_ends_the_stage_with_the_records_name_after_the_others_in_flight_are_kept(
    out: Path,
) -> None:
    notes = Notes()
    notes.raises = {"b": KeyError("tempo")}
    notes.turns = {"a": 30, "c": 40}
    with pytest.raises(RuntimeError) as bug:
        run(notes, list("abcdefgh"), out, settings=Settings(in_flight=3))
    assert str(bug.value) == ("a bug in the worker, performing b: KeyError: 'tempo'; finished rows are kept")
    assert isinstance(bug.value.__cause__, KeyError)
    assert notes.asked == ["a", "b", "c"]
    assert out.with_name("notes.journal.jsonl").read_text() == row("a") + row("c")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ([], "the worker gave 0 outcomes for 1 records"),
        ([Made({"x": float("nan")})], "Out of range float values are not JSON compliant"),
        ([Made({"x": object()})], "Object of type object is not JSON serializable"),
        ([Made({"key": "other"})], "`key` names the record"),
        ([Made({"kind": "failure"})], "the stage's own; return Failed"),
        ([Made({}, {"../a": b""})], "blob name '../a' leaves the run's folder"),
        ([Made({}, {"/etc/a": b""})], "blob name '/etc/a' leaves the run's folder"),
    ],
)
def test_an_outcome_that_no_worker_may_give_is_a_bug(made: list[Outcome], message: str, out: Path) -> None:
    @asynccontextmanager
    async def open_wrong() -> AsyncIterator[Any]:
        async def wrong(_: Sequence[str]) -> list[Outcome]:
            return made

        yield wrong

    with pytest.raises(RuntimeError, match=r"performing a: .*Error: ") as bug:
        run(open_wrong, ["a"], out)
    assert message in str(bug.value)
    assert out.with_name("notes.journal.jsonl").read_bytes() == b""


def test_a_longer_list_reuses_the_rows_of_a_shorter_one(out: Path) -> None:
    run(Notes(), list("bd"), out)
    more = Notes()
    assert run(more, list("abcd"), out) == Finished(out, 4, 0, 2, 2, 0.0)
    assert (more.asked, out.read_text()) == (["a", "c"], "".join(map(row, "abcd")))


def test_a_shorter_list_seals_only_its_own_rows_and_loses_none_of_the_others(out: Path) -> None:
    run(Notes(), list("abcd"), out)
    fewer = Notes()
    assert run(fewer, list("db"), out) == Finished(out, 2, 0, 2, 0, 0.0)
    assert out.read_text() == row("d") + row("b")
    assert out.with_name("notes.journal.jsonl").read_text() == row("a") + row("c")

    run(fewer, ["e"], out)
    assert (fewer.asked, out.read_text()) == (["e"], row("e"))

    all_again = Notes()
    assert run(all_again, list("abcde"), out) == Finished(out, 5, 0, 5, 0, 0.0)
    assert (all_again.opened, out.read_text()) == (0, "".join(map(row, "abcde")))
    assert not out.with_name("notes.journal.jsonl").exists()


def test_a_torn_last_line_of_the_journal_is_performed_again(out: Path) -> None:
    _break_off(out, "abcd", at="d")
    journal = out.with_name("notes.journal.jsonl")
    journal.write_bytes(journal.read_bytes()[:-5])
    again = Notes()
    run(again, list("abcd"), out)
    assert (again.asked, out.read_text()) == (["c", "d"], "".join(map(row, "abcd")))


def test_a_spoilt_journal_is_refused_with_its_line(out: Path) -> None:
    _break_off(out, "abcd", at="d")
    journal = out.with_name("notes.journal.jsonl")
    journal.write_text(row("a") + "{]\n" + row("c"))
    with pytest.raises(DataError, match=r"notes\.journal\.jsonl:2: not a stage's row"):
        run(Notes(), list("abcd"), out)


def test_cancelling_keeps_what_has_finished_and_drops_the_rest(out: Path) -> None:
    notes = Notes()
    notes.turns = {"c": 10**6, "d": 10**6}
    run_and_cancel_at("d", notes, list("abcdef"), out, settings=Settings(in_flight=2))
    assert notes.asked == ["a", "b", "c", "d"]
    assert out.with_name("notes.journal.jsonl").read_text() == row("a") + row("b")
    again = Notes()
    run(again, list("abcdef"), out)
    assert (again.asked, out.read_text()) == (list("cdef"), "".join(map(row, "abcdef")))


def test_a_worker_that_never_waits_can_be_cancelled(out: Path) -> None:
    notes = Notes()
    run_and_cancel_at("3", notes, [str(n) for n in range(500)], out)
    assert len(notes.asked) < 10


def test_progress_hears_of_every_batch_and_failure(out: Path) -> None:
    heard: list[tuple[str, int, int]] = []

    class Ear:
        def start(self, total: int, reused: int) -> None:
            heard.append(("start", total, reused))

        def advance(self, done: int, failed: int) -> None:
            heard.append(("advance", done, failed))

        def stop(self) -> None:
            heard.append(("stop", 0, 0))

    run(Notes(), ["a"], out)
    notes = Notes()
    notes.fails = {"c": Failed("no", transient=False)}
    run(notes, list("abcd"), out, settings=Settings(batch=2), progress=Ear())
    assert heard == [("start", 4, 1), ("advance", 2, 1), ("advance", 1, 0), ("stop", 0, 0)]


def test_two_stages_live_in_one_folder(out: Path) -> None:
    other = out.with_name("words.jsonl")

    async def both() -> None:
        await asyncio.gather(
            mapped(Notes(), list("abc"), out),
            mapped(Notes(), list("xyz"), other, fingerprint={"other": 1}),
        )

    asyncio.run(both())
    assert out.read_text() == "".join(map(row, "abc"))
    assert other.read_text() == "".join(map(row, "xyz"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"batch": 0}, "batch must be at least 1, not 0"),
        ({"in_flight": 0}, "in_flight must be at least 1, not 0"),
        ({"workers": -1}, "workers must be at least 0, not -1"),
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Settings(**wrong)


def test_sealed_rows_come_back_as_records_and_failures(out: Path) -> None:
    notes = Notes()
    notes.fails = {"b": Failed("no voice", transient=True)}
    run(notes, list("abc"), out)
    assert read_sealed(out, Note) == (
        [Note("a"), Note("c")], [Failure("b", "no voice", transient=True)],
    )  # fmt: skip
