"""Real clients complete real conversations with a real `antiphon serve`: `make conform`, or `make conform-CLIENT`.

Each runs in an environment of its own (`.venv-conform/CLIENT`) and reports what its user would see and hear. The
server's model, voice and recogniser are scripted, so that every word of it is known; its engine, turn policy, pacing
and protocol are those that serve.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.audio.clip import Clip
from antiphon.models.scripted_sound import words_in
from tests.conformance.serving import EVERYTHING, HOURS, LIBRARY, OPENS, SPOKEN, person, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent / "clients"
ENVIRONMENTS = Path(__file__).parents[2] / ".venv-conform"
SCRIPTS = {
    "openai": "openai_client.py", "agents": "agents_client.py", "agents-js": "agents_client.mjs",
    "openai-realtime-api": "realtime_api_client.mjs", "pipecat": "pipecat_client.py", "livekit": "livekit_client.py",
}  # fmt: skip
RATE_HZ = 24_000
MS_A_CHARACTER = 60  # of the scripted voice
ORDER = [
    "response.created", "response.output_item.added", "response.content_part.added", "response.output_audio.delta",
    "response.output_audio.done", "response.content_part.done", "response.output_item.done", "response.done",
]  # fmt: skip

pytestmark = pytest.mark.timeout(180)


@dataclass(frozen=True)
class Seen:
    """What a client's user saw and heard, see `clients/case.py`."""

    texts: list[str]
    heard: list[str]
    tools: list[dict[str, Any]]
    ends: list[list[str | None]]
    kinds: list[str]
    errors: list[str]
    interrupted: int
    clip: Clip

    @property
    def ms(self) -> float:
        return len(self.clip) / RATE_HZ * 1000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("serve")) as url:
        yield url


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    asked: list[str] = metafunc.config.getoption("--conform")
    if unknown := set(asked) - set(SCRIPTS):
        raise pytest.UsageError(f"no client {unknown.pop()!r}; there are: {', '.join(SCRIPTS)}")
    none = pytest.param(
        "", marks=pytest.mark.skip(reason="runs with --conform CLIENT: make conform"), id="none"
    )
    metafunc.parametrize("client", asked or [none])


def perform(client: str, case: str, url: str, folder: Path) -> Seen:
    """One case with one client."""
    environment, script = ENVIRONMENTS / client, HERE / SCRIPTS[client]
    if script.suffix == ".mjs":  # node looks for packages beside the script
        for part in HERE.glob("*.mjs"):
            shutil.copy(part, environment)
        command = ["node", str(environment / script.name)]
    else:
        command = [str(environment / "bin" / "python"), str(script)]
    out = folder / "out"
    done = subprocess.run(
        [*command, case, url, str(person(folder)), str(out)],
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    kept = json.loads(out.with_suffix(".json").read_text("utf-8"))
    seen = Seen(**kept, clip=Clip.from_pcm16(out.with_suffix(".pcm").read_bytes(), RATE_HZ))
    assert seen.errors == []
    return seen


def test_text(client: str, server: str, tmp_path: Path):
    seen = perform(client, "text", server, tmp_path)
    assert (seen.texts, seen.ms, seen.ends) == ([OPENS], 0, [["completed", None]])


def test_audio(client: str, server: str, tmp_path: Path):
    """Somebody speaks; what is understood, written and spoken in return is whole."""
    seen = perform(client, "audio", server, tmp_path)
    assert seen.heard == [SPOKEN]
    assert (seen.texts, seen.ends) == ([LIBRARY], [["completed", None]])
    assert words_in(seen.clip) == f"{LIBRARY} "
    assert abs(seen.ms - MS_A_CHARACTER * len(f"{LIBRARY} ")) <= 100
    if seen.kinds:
        kinds = [kind.replace(".audio.", ".output_audio.") for kind in seen.kinds]  # as GA spells it
        assert sorted(ORDER, key=kinds.index) == ORDER


def test_a_tool_call(client: str, server: str, tmp_path: Path):
    seen = perform(client, "tool", server, tmp_path)
    assert seen.tools == [{"name": "hours", "arguments": {"day": "Monday"}}]
    assert (seen.texts, seen.ends) == ([HOURS], [["completed", None], ["completed", None]])
    assert words_in(seen.clip) == f"{HOURS} "


def test_an_interruption(client: str, server: str, tmp_path: Path):
    """Somebody speaks over a long answer: it ends, and what was said is answered."""
    seen = perform(client, "interruption", server, tmp_path)
    assert seen.interrupted >= 1
    assert seen.ends == [["cancelled", "turn_detected"], ["completed", None]]
    assert seen.texts[-1] == LIBRARY
    assert seen.heard == [SPOKEN]
    assert seen.ms < MS_A_CHARACTER * len(EVERYTHING) / 2


def test_a_cancel(client: str, server: str, tmp_path: Path):
    """The client stops a long answer and asks something else."""
    seen = perform(client, "cancel", server, tmp_path)
    assert seen.ends == [["cancelled", "client_cancelled"], ["completed", None]]
    assert seen.texts[-1] == OPENS
    assert seen.ms < MS_A_CHARACTER * len(EVERYTHING) / 2
