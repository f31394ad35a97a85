from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antiphon.clock import RealClock, VirtualClock
from antiphon.errors import DataError
from antiphon.models.scripted import Line
from antiphon.models.scripted_instruments import ScriptedTranscriber
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.recording.archive import Archive
from antiphon.realtime.recording.recording import LOG
from antiphon.realtime.simulation.recorded import played, read, replay, rows_of, times
from tests.realtime.recording.test_recording import SESSION, rows, tracks
from tests.realtime.recording.test_tracks import edges
from tests.realtime.serving import Client, append, noise, quiet, served, stack

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from antiphon.realtime.simulation.recorded import LogRow


def archive(folder: Path, days: float = 2, *, redact: bool = False) -> Archive:
    return Archive(folder, days, redact, VirtualClock(), "m")


def begin(kept: Archive, session: str = SESSION) -> str:
    recording = kept.begin(session, knows_pauses=True, failed=pytest.fail)
    recording.close(0)
    return next(each.name for each in kept.folder.iterdir() if each.name.endswith(session))


def test_recordings_go_when_their_time_is_over_and_nothing_else_does(tmp_path):
    kept = archive(tmp_path)
    assert isinstance(kept.clock, VirtualClock)
    old, strange = begin(kept), begin(kept, "sess_00000000000000ff")
    (tmp_path / strange / "notes.txt").write_text("mine")
    (tmp_path / "20200101T000000-sess_00000000000000aa").mkdir()  # the name alone is not enough
    (tmp_path / "about.json").write_text("{}")
    (tmp_path / "20200101T000000-sess_00000000000000bb").symlink_to(tmp_path / old)
    kept.clock.advance_us(25 * 3600 * 1_000_000)
    assert kept.sweep() == []
    new = begin(kept, "sess_00000000000000cc")
    kept.clock.advance_us(24 * 3600 * 1_000_000)
    assert sorted(kept.sweep()) == sorted([old, strange])
    assert {each.name for each in tmp_path.iterdir()} == {
        new, strange, "about.json", "20200101T000000-sess_00000000000000aa", "20200101T000000-sess_00000000000000bb",
    }  # fmt: skip
    assert [each.name for each in (tmp_path / strange).iterdir()] == ["notes.txt"]
    assert kept.sweep() == []


def test_a_recording_never_overwrites_another(tmp_path):
    kept = archive(tmp_path)
    begin(kept)
    with pytest.raises(DataError, match="exists"):
        kept.begin(SESSION, knows_pauses=True, failed=pytest.fail)


async def test_a_live_session_is_recorded_and_announced_unless_its_client_declines(tmp_path):
    made = replace(stack([Line(text="Yes.")]), record=archive(tmp_path))
    async with served(made) as server:
        async with server.client("&duplex=1&record=0") as socket:
            assert (await Client(socket).until("duplex.session"))["recorded"] is False
            assert "antiphon-recording" not in socket.response.headers
        assert list(tmp_path.iterdir()) == []
        async with server.client("&duplex=1") as socket:
            assert socket.response.headers["antiphon-recording"] == "on"
            client = Client(socket)
            await client.send(append(quiet(300) + noise(800) + quiet(600)))
            assert (await client.until("duplex.session"))["recorded"] is True
            await client.until("duplex.said")
    (folder,) = tmp_path.iterdir()
    again = replay(read(folder / LOG), policy_named("never-answer"))
    assert (again["session"], again["utterances"], again["scripted"]) == (folder.name[16:], 1, True)
    assert again["differences"][0]["text"] == "Please tell me about the library."
    assert read(folder / LOG).answers == {"u1": "Yes."}
    whats = [row["what"] for row in rows(folder)]
    assert whats[0] in ("decided", "speech")
    assert {"speech", "turn", "decided", "agent"} <= set(whats)
    spoken = next(row for row in rows(folder) if row["what"] == "agent")
    assert (spoken["text"], spoken["heard"]) == ("Yes.", "Yes.")
    person, agent = tracks(folder)
    assert edges(person) != []
    assert np.abs(np.frombuffer(agent, "<i2")).max() > 100


def decided(log: Sequence[LogRow]) -> list[tuple[str, str, str, str]]:
    """Every decision in order: of which utterance, floor, answer and why."""
    return [
        (told["utterance"], told["floor"], told["answer"], told["reason"])
        for _, _, name, told in log
        if name == "Decided"
    ]


async def test_a_live_log_replays_with_the_times_of_its_server(tmp_path):
    """The recogniser takes longer than the default policy waits by itself."""
    patient = replace(ByRules(), words_us=60_000_000)
    slow = ScriptedTranscriber(RealClock(), default="Please tell me about it.", delay_us=1_500_000)
    kept = replace(archive(tmp_path), times=times(patient))
    made = replace(stack([Line(text="Yes.")], transcriber=slow), policy=patient, record=kept)
    async with served(made) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        await client.send(append(quiet(300) + noise(800) + quiet(600)))
        await client.until("duplex.said")
    (folder,) = tmp_path.iterdir()
    recorded = read(folder / LOG)
    assert recorded.header.times["words_us"] == 60_000_000
    lived = decided(rows_of((folder / LOG).read_bytes().splitlines()[1:]))
    assert [each[1:] for each in lived] == [
        ("LISTEN", "NONE", "somebody is speaking"),
        ("LISTEN", "NONE", "waiting for words"),
        ("SPEAK", "ANSWER", "a finished turn"),
    ]
    assert decided(rows_of(played(recorded, policy_named("default")))) == lived
    untold = replace(recorded, header=replace(recorded.header, times={}))
    assert ("u1", "LISTEN", "NONE", "no words") in decided(rows_of(played(untold, policy_named("default"))))


async def test_a_folder_that_cannot_be_written_is_told_and_the_session_goes_on(tmp_path):
    (tmp_path / "file").write_text("")
    made = replace(stack([Line(text="Yes.")]), record=archive(tmp_path / "file"))
    async with served(made) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        assert "not recorded" in (await client.until("error"))["error"]["message"]
        assert client.events[-2]["recorded"] is False
        await client.type("hello")
        await client.until("response.done")
