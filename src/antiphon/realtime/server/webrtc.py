"""A WebRTC call as a client of the same protocol: sound on tracks, events on a data channel.

The bridge speaks to its session as any client over a socket does, so that nothing else knows of WebRTC. What the
person says becomes `input_audio_buffer.append`; the session's `response.output_audio.delta` is played on our
track. Since the playing is ours, the bridge knows what was played, says so (`playback.acknowledged`), and drops
at once what is paused, stopped or cleared.

Raises UnavailableError without antiphon[webrtc].
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from antiphon.errors import ConfigError, UnavailableError, WireError
from antiphon.jsonl import dumps
from antiphon.models.wire.ga.codec import parse
from antiphon.realtime.server.presence import GoneError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aiortc import RTCDataChannel, RTCPeerConnection
    from aiortc.mediastreams import MediaStreamTrack
    from av import AudioFrame

    from antiphon.clock import Clock

RATE_HZ = 24_000
FRAME_MS = 20
_FRAME_BYTES = 2 * RATE_HZ * FRAME_MS // 1000
_CHANNEL = "oai-events"
_CONNECT_S = 30
# An event on the data channel is one message: more than this, and other stacks cut it.
_MOST_BYTES = 60_000


@dataclass
class Loudspeaker:
    """What waits to be played on our track, frame by frame; `played` hears of each frame that was."""

    played: Callable[[str, int], object]
    frames: deque[tuple[str, int, bytes]] = field(default_factory=deque[tuple[str, int, bytes]])

    def add(self, item: str, at_ms: int, pcm: bytes) -> None:
        """Sound of an item (24 kHz int16) that stands at `at_ms` in it."""
        for start in range(0, len(pcm), _FRAME_BYTES):
            piece = pcm[start : start + _FRAME_BYTES]
            self.frames.append((item, at_ms + start * FRAME_MS // _FRAME_BYTES, piece))

    def clear(self) -> bool:
        """Drop what was not played; whether there was any."""
        waiting = bool(self.frames)
        self.frames.clear()
        return waiting

    def next(self) -> bytes:
        """20 ms for the track: sound, or silence."""
        if not self.frames:
            return bytes(_FRAME_BYTES)
        item, at_ms, pcm = self.frames.popleft()
        self.played(item, at_ms + 1000 * len(pcm) // (2 * RATE_HZ))
        return pcm.ljust(_FRAME_BYTES, b"\0")


class Call:
    """One call, as the socket of a session: `receive` gives the client's events, `send` takes ours."""

    def __init__(self, peer: RTCPeerConnection, clock: Clock, asked: Mapping[str, str]) -> None:
        """`asked` is the address's query: `record` 0 minds being recorded; `session` comes back to one."""
        self._peer, self.duplex, self.record = peer, asked.get("duplex") == "1", asked.get("record") != "0"
        self.back = asked if "session" in asked else None
        self._lost = False
        self._inbox: asyncio.Queue[str | None] = asyncio.Queue(maxsize=1000)
        self._channel: RTCDataChannel | None = None
        self._early: list[str] = []  # until the channel is open
        self._at_ms = 0
        self._response: str | None = None
        self._sounding: str | None = None  # the response whose sound has begun
        self._settled = asyncio.Event()  # connected, or never
        self._gone = asyncio.Event()
        self._listening: asyncio.Task[None] | None = None
        self.loudspeaker = Loudspeaker(self._played)
        self._track = _track(self.loudspeaker, clock)
        peer.addTrack(self._track)
        peer.on("datachannel", self._opened)
        peer.on("track", self._heard)
        peer.on("connectionstatechange", self._changed)

    async def answer(self, offer: str) -> str:
        """Our SDP for theirs. Raises ConfigError for one that cannot be met."""
        from aiortc import RTCSessionDescription

        try:
            await self._peer.setRemoteDescription(RTCSessionDescription(offer, "offer"))
            await self._peer.setLocalDescription(await self._peer.createAnswer())
        except Exception as error:
            await self._peer.close()
            raise ConfigError(f"the offer is no SDP that can be answered: {error}") from error
        return self._peer.localDescription.sdp

    async def connected(self) -> bool:
        """Whether the client came within half a minute."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CONNECT_S):
                await self._settled.wait()
        return self._peer.connectionState == "connected"

    # ---- the session's socket ------------------------------------------------------------------------------

    async def accept(self, *, recorded: bool) -> None:
        """The call is up already, and the answer to its offer told of a recording."""
        del recorded

    async def receive(self) -> str | None:
        text = await self._inbox.get()
        if self._gone.is_set():
            raise self._end()
        return text

    async def send(self, text: str) -> None:
        if self._gone.is_set():
            raise self._end()
        event = json.loads(text)
        kind: str = event["type"]
        if kind == "response.output_audio.delta":
            self._play(event)
            return
        self._follow(kind, event)
        if self.duplex or not kind.startswith("duplex."):
            self._tell(event)

    def _end(self) -> EOFError:
        """Hung up, or the network is gone and the client may call again."""
        return GoneError(1006 if self._lost else 1000)

    def goes_on(self, response: str | None) -> None:
        """The call takes over a session in which this response is under way."""
        self._response = response

    async def close(self, code: int, reason: str) -> None:
        del code, reason  # a data channel has no word for them
        self._leave()
        await self._peer.close()

    # ---- what the session says ------------------------------------------------------------------------------

    def _play(self, event: dict[str, Any]) -> None:
        if self._sounding != event["response_id"]:
            self._sounding = event["response_id"]
            self._buffer("started")
        pcm = base64.b64decode(event["delta"])
        self.loudspeaker.add(event["item_id"], self._at_ms, pcm)
        self._at_ms += 1000 * len(pcm) // (2 * RATE_HZ)

    def _follow(self, kind: str, event: dict[str, Any]) -> None:
        match kind:
            case "response.created":
                self._response = event["response"]["id"]
            case "response.done":
                self._response = None
                self._stop_if_silent()
            case "duplex.audio_at":
                self._at_ms = event["at_ms"]
            case "duplex.paused":
                self.loudspeaker.clear()
            case "duplex.stopped":
                self._clear()
            case _:
                pass

    def _clear(self) -> None:
        self.loudspeaker.clear()
        if self._sounding is not None:
            self._buffer("cleared")
            self._sounding = None

    def _played(self, item: str, ms: int) -> None:
        self.wish({"type": "playback.acknowledged", "item_id": item, "audio_ms": ms})
        self._stop_if_silent()

    def _stop_if_silent(self) -> None:
        if self._sounding is not None and self._sounding != self._response and not self.loudspeaker.frames:
            self._buffer("stopped")
            self._sounding = None

    def _buffer(self, what: str) -> None:
        self._tell({"type": f"output_audio_buffer.{what}", "response_id": self._sounding})

    def _tell(self, event: dict[str, Any]) -> None:
        text = dumps(event)
        if len(text.encode()) > _MOST_BYTES:
            return self._too_long(event)
        if self._channel is None or self._channel.readyState == "connecting":
            self._early.append(text)
        elif self._channel.readyState == "open":
            self._channel.send(text)
        return None

    def _too_long(self, event: dict[str, Any]) -> None:
        message = f"{event['type']} is longer than {_MOST_BYTES} bytes: too long for a data channel"
        error = {"type": "server_error", "code": "event_too_long", "message": message}
        self._tell({"type": "error", "event_id": event.get("event_id"), "error": error})

    # ---- what the client says --------------------------------------------------------------------------------

    def _opened(self, channel: RTCDataChannel) -> None:
        if channel.label != _CHANNEL or self._channel is not None:
            channel.close()
            return
        self._channel = channel
        channel.on("message", self._said)
        for text in self._early:
            channel.send(text)
        self._early.clear()

    def _said(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            self._deliver(None)
            return
        try:
            event = parse(message)
        except WireError:
            self._deliver(message)  # the session says what is wrong with it
            return
        if event.get("type") == "output_audio_buffer.clear":
            if self._response is not None:
                self.wish({"type": "response.cancel"})
            self._clear()
            return
        self._deliver(dumps(_without_formats(event)))

    def _heard(self, track: MediaStreamTrack) -> None:
        if track.kind == "audio" and self._listening is None:
            self._listening = asyncio.get_running_loop().create_task(self._listen(track))

    async def _listen(self, track: MediaStreamTrack) -> None:
        from aiortc.mediastreams import MediaStreamError
        from av import AudioResampler

        resampler = AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
        while True:
            try:
                frame = cast("AudioFrame", await track.recv())
            except MediaStreamError:
                return
            for piece in resampler.resample(frame):
                pcm = bytes(piece.planes[0])[: 2 * piece.samples]
                self.wish(
                    {"type": "input_audio_buffer.append", "audio": base64.b64encode(pcm).decode("ascii")}
                )

    def wish(self, event: dict[str, Any]) -> None:
        """An event for the session, as if the client had sent it."""
        self._deliver(dumps(event))

    def _deliver(self, text: str | None) -> None:
        try:
            self._inbox.put_nowait(text)
        except asyncio.QueueFull:  # 20 s of sound that the session did not take: it stands still
            self._leave()

    def _changed(self) -> None:
        if self._peer.connectionState in ("connected", "failed", "closed"):
            self._settled.set()
        if self._peer.connectionState in ("failed", "closed"):
            self._lost = self._lost or (self._peer.connectionState == "failed" and not self._gone.is_set())
            self._leave()

    def _leave(self) -> None:
        if self._gone.is_set():
            return
        self._gone.set()
        if self._listening is not None:
            self._listening.cancel()
        self._track.stop()
        with contextlib.suppress(asyncio.QueueFull):
            self._inbox.put_nowait(None)  # wakes `receive`


def _without_formats(event: dict[str, Any]) -> dict[str, Any]:
    """A session's settings without sound formats: on a call, the tracks have negotiated them."""
    session = event.get("session")
    audio = session.get("audio") if isinstance(session, dict) else None
    if not isinstance(audio, dict):
        return event
    sides = {
        side: {name: value for name, value in given.items() if name != "format"}
        if isinstance(given, dict)
        else given
        for side, given in audio.items()
    }
    return {**event, "session": {**cast("dict[str, Any]", session), "audio": sides}}


def _track(loudspeaker: Loudspeaker, clock: Clock) -> MediaStreamTrack:
    from fractions import Fraction

    from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
    from av import AudioFrame

    class Track(MediaStreamTrack):
        """20 ms at a time, in real time."""

        kind = "audio"

        def __init__(self) -> None:
            super().__init__()
            self._begun_us: int | None = None
            self._samples = 0

        async def recv(self) -> AudioFrame:
            if self.readyState != "live":
                raise MediaStreamError
            now_us = clock.mono_us()
            if self._begun_us is None:
                self._begun_us = now_us
            due_us = self._begun_us + self._samples * 1_000_000 // RATE_HZ
            if due_us > now_us:
                await clock.sleep_us(due_us - now_us)
            frame = AudioFrame(format="s16", layout="mono", samples=_FRAME_BYTES // 2)
            frame.planes[0].update(loudspeaker.next())
            frame.sample_rate, frame.pts, frame.time_base = RATE_HZ, self._samples, Fraction(1, RATE_HZ)
            self._samples += _FRAME_BYTES // 2
            return frame

    return Track()


def new_peer(ice_servers: tuple[str, ...] = ()) -> RTCPeerConnection:
    """A peer that knows these STUN or TURN servers (none by default: same machine or network)."""
    try:
        from aiortc import RTCConfiguration, RTCIceServer, RTCPeerConnection
    except ImportError:
        raise UnavailableError("WebRTC needs aiortc", "pip install 'antiphon[webrtc]'") from None
    return RTCPeerConnection(RTCConfiguration(iceServers=[RTCIceServer(urls=[url]) for url in ice_servers]))
