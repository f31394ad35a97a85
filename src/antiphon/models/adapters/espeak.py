"""`espeak:`: the espeak-ng program as a synthesizer, `espeak:en-us`, `espeak:en-gb?speed=160`.

Tiny, instant and robotic: a floor to compare voices with. It speaks Mandarin (`espeak:cmn`), but
recognisers do not understand it (character error rate above 80 %), so never measure Mandarin with it.
"""

from __future__ import annotations

import asyncio
import io
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from antiphon.audio.clip import Clip
from antiphon.errors import ConfigError, ModelError, UnavailableError, unknown
from antiphon.models.clauses import clauses_of
from antiphon.models.ports import SpeechChunk

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from antiphon.clock import Clock
    from antiphon.models.ports import SpeechContext, Voice
    from antiphon.models.uri import Uri

_DEFAULT = "en-us"
_WORDS_PER_MINUTE = 175
_SPEEDS = range(80, 451)
_TIMEOUT_S = 60
_VOICE = re.compile(r"[A-Za-z][A-Za-z0-9+_-]*\Z")


def open_synthesizer(uri: Uri, clock: Clock) -> Espeak:
    """A synthesizer. Raises ConfigError for a bad option, UnavailableError when the program is missing."""
    uri.only("speed")
    speed = uri.whole("speed", _WORDS_PER_MINUTE)
    if speed not in _SPEEDS:
        raise ConfigError(f"{uri.text}: speed is 80 to 450 words a minute, not {speed}")
    program = shutil.which("espeak-ng")
    if program is None:
        raise UnavailableError("the program espeak-ng is missing", "apt install espeak-ng")
    return Espeak(program, _checked(uri.path or _DEFAULT), speed)


def _checked(voice: str) -> str:
    if not _VOICE.match(voice):
        raise ConfigError(f"espeak: no voice {voice!r}; `espeak-ng --voices` lists them")
    return voice


class Espeak:
    """The port `Synthesizer` on one run of the program a clause. Its one cue is `rate` (1 is normal)."""

    def __init__(self, program: str, voice: str, speed: int) -> None:
        self.name = f"espeak:{voice} speed={speed} ({_version(program)})"
        self._program = program
        self._voice = voice
        self._speed = speed

    async def stream(
        self, text: AsyncIterator[str], voice: Voice, context: SpeechContext
    ) -> AsyncGenerator[SpeechChunk, None]:
        """One chunk a clause. Raises ModelError when the program fails or gives no sound at all."""
        if voice.prompt is not None or voice.style:
            raise ConfigError("espeak: has preset voices only; leave prompt and style out")
        for cue in context.cues:
            if cue != "rate":
                raise unknown("espeak cue", cue, ["rate"])
        rate = context.cues.get("rate", 1.0)
        if not isinstance(rate, int | float) or not 0.5 <= rate <= 2:
            raise ConfigError(f"espeak: rate must be a number from 0.5 to 2, not {rate!r}")
        speed = min(max(round(self._speed * rate), _SPEEDS.start), _SPEEDS.stop - 1)
        chosen = _checked(voice.name or self._voice)
        chars, sounded = 0, False
        async for clause in clauses_of(text):
            chars += len(clause)
            clip = await asyncio.to_thread(self._run, clause, chosen, speed)
            if len(clip) and clip.samples.any():
                yield SpeechChunk(clip, chars)
                chars, sounded = 0, True
        if not sounded:
            raise ModelError(self.name, "no sound for this text")

    def _run(self, clause: str, voice: str, speed: int) -> Clip:
        import soundfile

        command = [self._program, "-v", voice, "-s", str(speed), "--stdout", "--stdin", "-b", "1"]
        try:
            done = subprocess.run(
                command, input=clause.encode(), capture_output=True, timeout=_TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise ModelError(self.name, f"espeak-ng did not end within {_TIMEOUT_S} s") from None
        words = done.stderr.decode(errors="replace").strip()
        if done.returncode != 0:
            raise ModelError(self.name, words[:200] or f"espeak-ng ended with {done.returncode}")
        if not done.stdout:
            return Clip([], 22_050)
        try:
            samples, rate_hz = soundfile.read(io.BytesIO(done.stdout), dtype="float32")
        except soundfile.LibsndfileError as error:
            raise ModelError(self.name, f"espeak-ng did not write a WAV: {error}") from None
        return Clip(samples, int(rate_hz))


def _version(program: str) -> str:
    said = subprocess.run([program, "--version"], capture_output=True, timeout=_TIMEOUT_S, check=False).stdout
    found = re.search(r"\d+\.\d+(?:\.\d+)?", said.decode(errors="replace"))
    return f"espeak-ng {found[0] if found else 'of unknown version'}"
