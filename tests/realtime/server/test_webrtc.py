"""A session over WebRTC, with aiortc as the client: a real call on the loopback."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from antiphon.clock import RealClock
from antiphon.models.scripted import Line
from antiphon.realtime.recording.archive import Archive
from antiphon.realtime.server.gate import Gate
from antiphon.realtime.server.kept_sessions import KeptSessions
from antiphon.realtime.server.presence import GoneError
from antiphon.realtime.server.webrtc import Call, Loudspeaker
from tests.realtime.serving import PATIENCE_S, Client, served, stack

pytest.importorskip("aiortc", reason="pip install 'antiphon[webrtc]'")

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from antiphon.realtime.server.stack import Stack

LONG = "The library opens at nine and closes at six, and on Sundays it stays shut the whole day. " * 4


def says(text: str) -> Stack:
    return stack([Line(text=text)])


class Phone:
    """A client: events by the data channel, a voice by its track, the agent's by ours."""

    def __init__(self) -> None:
        from aiortc import RTCConfiguration, RTCPeerConnection
        from aiortc.mediastreams import MediaStreamTrack
        from av import AudioFrame

        self.events: list[dict[str, Any]] = []
        self.loud: list[bool] = []  # 20 ms frames of the agent's
        self.talking = False
        phone, noise = self, np.random.default_rng(1)

        class Voice(MediaStreamTrack):
            kind = "audio"
            samples = 0

            async def recv(self) -> AudioFrame:
                await asyncio.sleep(0.02)
                pcm = noise.normal(0, 0.1, 960) * 32767 * phone.talking
                frame = AudioFrame(format="s16", layout="mono", samples=960)
                frame.planes[0].update(pcm.astype("<i2").tobytes())
                frame.sample_rate, frame.pts, frame.time_base = 48_000, self.samples, Fraction(1, 48_000)
                self.samples += 960
                return frame

        self.peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.peer.addTrack(Voice())
        self.channel = self.peer.createDataChannel("oai-events")
        self.channel.on("message", lambda text: self.events.append(json.loads(text)))
        self.peer.on("track", lambda track: asyncio.ensure_future(self._listen(track)))

    async def _listen(self, track: Any) -> None:
        from aiortc.mediastreams import MediaStreamError

        while True:
            try:
                frame = await track.recv()
            except MediaStreamError:
                return
            self.loud.append(float(np.abs(frame.to_ndarray()).max()) > 300)

    async def offer(self) -> str:
        await self.peer.setLocalDescription(await self.peer.createOffer())
        return self.peer.localDescription.sdp

    async def accept(self, answer: str) -> None:
        from aiortc import RTCSessionDescription

        await self.peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))

    def send(self, **event: Any) -> None:
        self.channel.send(json.dumps(event))

    def kinds(self) -> list[str]:
        return [event["type"] for event in self.events]

    async def until(self, seen: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not seen():  # noqa: ASYNC110 - whatever the test waits for
                await asyncio.sleep(0.01)

    def ask(self, text: str) -> None:
        part = {"type": "input_text", "text": text}
        self.send(
            type="conversation.item.create", item={"type": "message", "role": "user", "content": [part]}
        )
        self.send(type="response.create")


async def post(
    port: int, path: str, body: bytes, kind: str, key: str | None = None
) -> tuple[int, dict[str, str], str]:
    """One HTTP request, by hand: no client library is a dependency of the server."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [f"POST {path} HTTP/1.1", f"host: 127.0.0.1:{port}", f"content-type: {kind}", "connection: close"]
    lines += [f"content-length: {len(body)}", *([f"authorization: Bearer {key}"] if key else []), "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    head, _, rest = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    status, *headers = head.decode().split("\r\n")
    return int(status.split()[1]), dict(line.lower().split(": ", 1) for line in headers), rest.decode()


@asynccontextmanager
async def called(port: int, key: str | None = None, query: str = "") -> AsyncGenerator[Phone]:
    phone = Phone()
    offer = (await phone.offer()).encode()
    status, headers, answer = await post(port, f"/v1/realtime/calls{query}", offer, "application/sdp", key)
    assert status == 201, answer
    assert headers["location"].startswith("/v1/realtime/calls/rtc_")
    await phone.accept(answer)
    phone.name = headers["location"].rsplit("/", 1)[1]  # type: ignore[attr-defined]
    try:
        yield phone
    finally:
        await phone.peer.close()


async def test_an_answer_is_heard_on_the_track_and_told_on_the_channel():
    async with served(says("It opens at nine.")) as server, called(server.port) as phone:
        await phone.until(lambda: "session.created" in phone.kinds())
        phone.ask("When does it open?")
        await phone.until(lambda: "output_audio_buffer.stopped" in phone.kinds())
    kinds = phone.kinds()
    assert "response.output_audio.delta" not in kinds
    assert [kind for kind in kinds if kind.startswith("output_audio_buffer.")] == [
        "output_audio_buffer.started",
        "output_audio_buffer.stopped",
    ]
    assert kinds.index("response.created") < kinds.index("output_audio_buffer.started")
    assert sum(phone.loud) * 20 > 500
    done = next(event for event in phone.events if event["type"] == "response.done")
    assert done["response"]["status"] == "completed"
    assert done["response"]["output"][0]["content"][0]["transcript"] == "It opens at nine."
    assert not any(kind.startswith("duplex.") for kind in kinds)


async def test_speech_on_the_track_interrupts_and_what_was_not_played_is_cleared():
    async with served(says(LONG)) as server, called(server.port, query="?duplex=1") as phone:
        await phone.until(lambda: "session.created" in phone.kinds())
        phone.ask("When does it open?")
        await phone.until(lambda: sum(phone.loud) > 20)
        phone.talking = True
        await phone.until(lambda: "duplex.paused" in phone.kinds())
        await phone.until(lambda: "output_audio_buffer.cleared" in phone.kinds())
        phone.talking = False
        await phone.until(lambda: "response.done" in phone.kinds())
    done = next(event for event in phone.events if event["type"] == "response.done")
    assert done["response"]["status_details"]["reason"] == "turn_detected"
    stopped = next(event for event in phone.events if event["type"] == "duplex.stopped")
    assert 200 < stopped["heard_ms"] < 10_000


async def test_a_client_clears_the_sound_and_hangs_up():
    async with served(says(LONG)) as server, called(server.port) as phone:
        await phone.until(lambda: "session.created" in phone.kinds())
        phone.ask("When does it open?")
        await phone.until(lambda: sum(phone.loud) > 5)
        phone.send(type="output_audio_buffer.clear")
        await phone.until(lambda: "response.done" in phone.kinds())
        assert "output_audio_buffer.cleared" in phone.kinds()
        path = f"/v1/realtime/calls/{phone.name}/hangup"  # type: ignore[attr-defined]
        assert (await post(server.port, path, b"", "text/plain"))[0] == 200
        await phone.until(lambda: not server.hall.sessions)
        assert (await post(server.port, path, b"", "text/plain"))[0] == 404


async def test_formats_are_the_tracks_affair_and_other_settings_hold():
    async with served(says("Hello.")) as server, called(server.port) as phone:
        await phone.until(lambda: "session.created" in phone.kinds())
        audio = {"input": {"format": {"type": "audio/pcmu"}}, "output": {"format": {"type": "audio/pcmu"}}}
        phone.send(
            type="session.update", session={"type": "realtime", "instructions": "Short.", "audio": audio}
        )
        await phone.until(lambda: "session.updated" in phone.kinds())
    session = next(event["session"] for event in phone.events if event["type"] == "session.updated")
    assert session["instructions"] == "Short."
    assert session["audio"]["output"]["format"] == {"type": "audio/pcm", "rate": 24_000}


async def test_a_browser_comes_in_with_a_secret_that_brings_its_settings():
    key = "k" * 20
    async with served(says("Hello."), gate=Gate(key)) as server:
        asked = json.dumps({"session": {"type": "realtime", "instructions": "Be brief."}}).encode()
        path = "/v1/realtime/client_secrets"
        assert (await post(server.port, path, asked, "application/json"))[0] == 401
        status, _, told = await post(server.port, path, asked, "application/json", key)
        secret = json.loads(told)
        assert (status, secret["session"]["instructions"]) == (200, "Be brief.")
        assert (await post(server.port, path, asked, "application/json", secret["value"]))[0] == 401
        async with called(server.port, secret["value"]) as phone:
            await phone.until(lambda: "session.updated" in phone.kinds())
    session = next(event["session"] for event in phone.events if event["type"] == "session.updated")
    assert session["instructions"] == "Be brief."


@pytest.mark.parametrize(("query", "told"), [("", "on"), ("?record=0", None)])
async def test_a_recording_is_told_with_the_answer_and_can_be_declined(
    tmp_path: Path, query: str, told: str | None
):
    archive = Archive(tmp_path, None, False, RealClock(), "m")
    phone = Phone()
    async with served(replace(says("Hello."), record=archive)) as server:
        path, offer = f"/v1/realtime/calls{query}", (await phone.offer()).encode()
        _, headers, answer = await post(server.port, path, offer, "application/sdp")
        await phone.accept(answer)
        await phone.until(lambda: "session.created" in phone.kinds())
        assert headers.get("antiphon-recording") == told
        assert any(session.recorded for session in server.hall.sessions) is (told is not None)
        await phone.peer.close()
    kept = await asyncio.to_thread(lambda: list(tmp_path.iterdir()))
    assert len(kept) == (told is not None)


async def test_a_secrets_settings_are_no_event_of_a_live_session():
    key = "k" * 20
    async with served(says("Hello."), gate=Gate(key)) as server:
        _, _, told = await post(server.port, "/v1/realtime/client_secrets", b"", "application/json", key)
        address = server.url.replace("/v1", "/v1/live/sessions")
        protocols = [
            Subprotocol("realtime"),
            Subprotocol(f"openai-insecure-api-key.{json.loads(told)['value']}"),
        ]
        async with connect(address, subprotocols=protocols) as live:
            await live.send(json.dumps({"type": "session.start", "session": {"model": "m"}}))
            assert json.loads(await live.recv())["type"] == "session.started"


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        (b"v=0", "application/sdp", "the offer is no SDP"),
        (b"{}", "application/json", "send the offer as application/sdp"),
        (b"x" * 70_000, "application/sdp", "longer than 64000 bytes"),
    ],
)
async def test_what_is_no_offer_is_refused_in_one_line(body: bytes, kind: str, says: str):
    async with served() as server:
        status, _, told = await post(server.port, "/v1/realtime/calls", body, kind)
        assert status == 400
        assert says in json.loads(told)["error"]["message"]
        assert server.hall.calls.ringing == 0


def test_frames_know_where_in_their_item_they_stand():
    played: list[tuple[str, int]] = []
    loudspeaker = Loudspeaker(lambda item, ms: played.append((item, ms)))
    loudspeaker.add("a", 100, bytes(960) + bytes(480))
    assert [len(loudspeaker.next()) for _ in range(3)] == [960, 960, 960]
    assert played == [("a", 120), ("a", 130)]
    loudspeaker.add("a", 130, bytes(960))
    assert loudspeaker.clear()
    assert not loudspeaker.clear()


class Peer:
    """A connection that only has a state."""

    def __init__(self) -> None:
        self.connectionState = "connected"
        self.heard: dict[str, Any] = {}

    def on(self, event: str, told: Any) -> None:
        self.heard[event] = told

    def addTrack(self, track: Any) -> None:  # noqa: N802 - aiortc's name
        """Nobody plays it."""

    def becomes(self, state: str) -> None:
        self.connectionState = state
        self.heard["connectionstatechange"]()


@pytest.mark.parametrize(("states", "code"), [(["closed"], 1000), (["failed", "closed"], 1006)])
async def test_a_network_that_fails_is_no_farewell(states: list[str], code: int):
    peer: Any = Peer()
    call = Call(peer, RealClock(), {"duplex": "1"})
    for state in states:
        peer.becomes(state)
    with pytest.raises(GoneError) as gone:
        await call.receive()
    assert gone.value.code == code


async def test_a_caller_comes_back_by_a_new_offer_and_hears_the_rest():
    answer = "It opens at nine. On Sundays it opens at eleven. On holidays it is closed."
    async with served(says(answer)) as server, called(server.port, query="?duplex=1") as first:
        await first.until(lambda: "duplex.session" in first.kinds())
        told = next(event for event in first.events if event["type"] == "duplex.session")
        query = f"?duplex=1&session={told['session_id']}&resume="
        first.ask("When does it open?")
        await first.until(lambda: any(event.get("at_ms", 0) > 1500 for event in first.events))
        status, _, _ = await post(server.port, f"/v1/realtime/calls{query}wrong", b"v=0", "application/sdp")
        assert status == 403
        after = first.events[-1]["event_id"]
        async with called(server.port, query=f"{query}{told['resume']['token']}&after={after}") as second:
            await second.until(lambda: "duplex.said" in second.kinds())
            assert second.kinds()[:2] == ["session.created", "duplex.session"]
            assert second.events[1]["resumed"] is True
            said = next(event for event in second.events if event["type"] == "duplex.said")
            assert (said["heard_chars"], said["finish"]) == (len(answer), "stop")
            began = next(event["from_ms"] for event in second.events if event["type"] == "duplex.resumed")
            assert began > 500
            assert len(server.hall.sessions) == 1
            created = [each for each in (*first.kinds(), *second.kinds()) if each == "response.created"]
            assert len(created) == 1


async def test_a_caller_comes_back_to_the_next_server(tmp_path: Path):
    kept = KeptSessions(tmp_path / "kept", RealClock(), 60)
    made = replace(says("It opens at nine."), keep=kept)
    async with served(made) as server, called(server.port, query="?duplex=1") as first:
        await first.until(lambda: "duplex.session" in first.kinds())
        told = next(event for event in first.events if event["type"] == "duplex.session")
        assert told["kept"] is True
        first.ask("When does it open?")
        await first.until(lambda: "duplex.said" in first.kinds())
        await server.hall.drain()
    query = f"?duplex=1&session={told['session_id']}&resume={told['resume']['token']}"
    async with served(made) as server, called(server.port, query=query) as second:
        await second.until(lambda: "duplex.session" in second.kinds())
        (again,) = [event for event in second.events if event["type"] == "duplex.session"]
        assert (again["session_id"], again["restarted"]) == (told["session_id"], True)
        item = next(e["item_id"] for e in first.events if e["type"] == "duplex.audio_at")
        second.send(type="conversation.item.retrieve", item_id=item)
        await second.until(lambda: "conversation.item.retrieved" in second.kinds())
        assert second.events[-1]["item"]["content"][0]["transcript"] == "It opens at nine."
    kept.close()


async def test_a_call_does_not_take_over_a_sockets_telephone_sound():
    async with served(says("Yes.")) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        told = await client.until("duplex.session")
        await client.set(audio={"output": {"format": {"type": "audio/pcmu"}}})
        query = f"?duplex=1&session={told['session_id']}&resume={told['resume']['token']}"
        status, _, why = await post(server.port, f"/v1/realtime/calls{query}", b"v=0", "application/sdp")
        assert (status, "come back over one" in why) == (409, True)
