"""A call from a real browser, as its own WebRTC makes one: a synthesized person talks with the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bench.test_page_in_a_browser import PROGRAM
from tests.realtime.test_page import ANSWER, browsing, person, running, until

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("aiortc", reason="pip install 'antiphon[webrtc]'")
pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="no Chromium here (Debian: apt-get install chromium)"),
    pytest.mark.timeout(120),
]

CALL = """(async () => {
  window.events = []; window.loudest = 0;
  const peer = new RTCPeerConnection();
  const voice = await navigator.mediaDevices.getUserMedia({audio: true});
  peer.addTrack(voice.getAudioTracks()[0], voice);
  peer.ontrack = ({streams}) => {
    const context = new AudioContext(), meter = context.createAnalyser();
    context.createMediaStreamSource(streams[0]).connect(meter);
    const player = new Audio(); player.muted = true; player.srcObject = streams[0];  // Chromium decodes only what plays
    const samples = new Float32Array(meter.fftSize);
    setInterval(() => { meter.getFloatTimeDomainData(samples);
      window.loudest = Math.max(window.loudest, ...samples.map(Math.abs)); }, 20);
  };
  const channel = peer.createDataChannel("oai-events");
  channel.onmessage = ({data}) => window.events.push(JSON.parse(data));
  await peer.setLocalDescription(await peer.createOffer());
  const answer = await fetch("/v1/realtime/calls",
    {method: "POST", body: peer.localDescription.sdp, headers: {"content-type": "application/sdp"}});
  await peer.setRemoteDescription({type: "answer", sdp: await answer.text()});
  return answer.status;
})()"""


@pytest.mark.slow
def test_a_browser_calls_speaks_and_hears_the_answer(tmp_path: Path):
    microphone = person(tmp_path / "person.wav", 2.5, "What time does the library open on Saturday?", 30.0)
    with running() as server, browsing(tmp_path, microphone) as browser:
        browser.visit(f"http://127.0.0.1:{server.port}/")
        assert browser.ask(CALL) == 201
        kinds = "window.events.map(event => event.type)"
        until(browser, f"{kinds}.includes('output_audio_buffer.stopped')", 60)
        seen = browser.ask(kinds)
        done = browser.ask("window.events.find(event => event.type === 'response.done').response")
        loudest = browser.ask("window.loudest")
    order = ["input_audio_buffer.speech_started", "input_audio_buffer.committed", "response.created"]
    assert [seen.index(kind) for kind in order] == sorted(seen.index(kind) for kind in order)
    assert done["output"][0]["content"][0]["transcript"] == ANSWER
    assert loudest > 0.05
