"""`cosyvoice:`: CosyVoice2 and CosyVoice3, speech in the voice of a prompt clip, in a style told in words.

    cosyvoice:PATH?repo=FOLDER           a model's folder, and a checkout of github.com/FunAudioLLM/CosyVoice
    cosyvoice:FunAudioLLM/CosyVoice2-0.5B?repo=FOLDER     the same model from the hub's cache
    cosyvoice:PATH?stream=1&clauses=1    sound as soon as there is some, for a live agent

The repository is no package: `repo` names its folder, or PYTHONPATH holds it. A `Voice` chooses the call: a style
goes to `inference_instruct2`, a prompt clip with its words to `inference_zero_shot`, one without words to
`inference_cross_lingual`, a name to a speaker saved in the model's `spk2info.pt`; an empty one speaks as the
repository's own prompt clip. Without `stream` the same seed gives the same samples; with it the model's two
halves draw from one generator at once, and it does not. Source: Du et al., "CosyVoice 2", 2024.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.errors import ConfigError, ModelError, UnavailableError, unknown
from antiphon.ids import hash_bytes
from antiphon.models.adapters.cosyvoice_model import FAMILIES, Ask, Model
from antiphon.models.clauses import clauses_of, has_words
from antiphon.models.native import Engines, need
from antiphon.models.ports import SpeechChunk
from antiphon.models.weights import repos, store

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.models.adapters.cosyvoice_model import Family
    from antiphon.models.native import Engine
    from antiphon.models.ports import SpeechContext, Voice
    from antiphon.models.uri import Uri

CLONE = "git clone --recursive https://github.com/FunAudioLLM/CosyVoice.git"
_WEIGHTS = ("llm.pt", "flow.pt", "hift.pt")
_CODE = ("cosyvoice.py", "frontend.py", "model.py")
_LONGEST_PROMPT_S = 30.0
_RATES = (0.5, 2.0)


_engines: Engines[Model] = Engines()


def open_synthesizer(uri: Uri, clock: Clock) -> CosyVoice:
    """A synthesizer; nothing is loaded before its first text, but repository and weights must be here.

    Raises ConfigError for unknown options, UnavailableError with the command that brings what is missing.
    """
    uri.only("repo", "stream", "clauses", "fp16")
    stream, clauses, half = (_flag(uri, option) for option in ("stream", "clauses", "fp16"))
    repo = _repository(uri)
    need("torch", f"pip install -r {repo / 'requirements.txt'}")
    folder = _folder(uri)
    family = _family(uri, folder)
    engine = _engines.get((repo, folder, half), lambda: Model(repo, folder, family, half=half))
    settings = "".join(
        f" {word}" for on, word in ((stream, "stream"), (clauses, "clauses"), (half, "fp16")) if on
    )
    name = f"cosyvoice:{family.name} {folder.name}@{_digest(folder)} code@{_code(repo)}{settings}"
    return CosyVoice(name, engine, stream=stream, clauses=clauses)


def _flag(uri: Uri, option: str) -> bool:
    value = uri.whole(option, 0)
    if value not in (0, 1):
        raise ConfigError(f"{uri.text}: {option} is 0 or 1")
    return value == 1


def _repository(uri: Uri) -> Path:
    """The checkout's folder. Raises ConfigError for a folder that is none, UnavailableError without any."""
    if given := uri.options.get("repo"):
        repo = Path(given).expanduser().resolve()
        if not (repo / "cosyvoice/cli/cosyvoice.py").is_file():
            raise ConfigError(f"{uri.text}: {given} is no checkout of CosyVoice; {CLONE}")
    else:
        spec = importlib.util.find_spec("cosyvoice")
        places = list(spec.submodule_search_locations or ()) if spec else []
        if not places or not (Path(places[0]) / "cli/cosyvoice.py").is_file():
            raise UnavailableError(
                "the CosyVoice repository is not here", f"{CLONE}, then add ?repo=FOLDER to the URI"
            )
        repo = Path(places[0]).parent
    if not (repo / "third_party/Matcha-TTS/matcha").is_dir() and importlib.util.find_spec("matcha") is None:
        raise UnavailableError(
            f"{repo} lacks its submodule Matcha-TTS", f"git -C {repo} submodule update --init --recursive"
        )
    return repo


def _folder(uri: Uri) -> Path:
    """The model's folder. Raises ConfigError, UnavailableError."""
    if not uri.path:
        raise ConfigError(f"{uri.text}: name a model's folder, or FunAudioLLM/CosyVoice2-0.5B")
    folder = Path(uri.path).expanduser()
    if folder.is_dir():
        return folder.resolve()
    if uri.path.count("/") != 1 or uri.path.startswith(("/", ".", "~")):
        raise ConfigError(f"{uri.text}: no folder {uri.path}; a model of the hub is OWNER/NAME")
    return repos.locate(repos.Repo("hf", uri.path), _WEIGHTS[0]).folder


def _family(uri: Uri, folder: Path) -> Family:
    for file, family in FAMILIES.items():
        if (folder / file).is_file():
            missing = [name for name in _WEIGHTS if not (folder / name).is_file()]
            if missing:
                raise ConfigError(f"{uri.text}: {folder} lacks {', '.join(missing)}; fetch the model again")
            return family
    raise ConfigError(
        f"{uri.text}: {folder} holds neither {' nor '.join(FAMILIES)}; "
        "CosyVoice 1 takes no style beside a prompt clip, so use 2 or 3"
    )


def _digest(folder: Path) -> str:
    """Twelve hex digits that name the bytes of all weights."""
    return hash_bytes("".join(store.digest_of(folder / name) for name in _WEIGHTS).encode())[:12]


def _code(repo: Path) -> str:
    """Eight hex digits of the code that splits the text and makes the sound."""
    return hash_bytes(b"".join((repo / "cosyvoice/cli" / name).read_bytes() for name in _CODE))[:8]


class CosyVoice:
    """The port `Synthesizer`. The one cue it can follow is `rate` (0.5 to 2), and not while streaming."""

    def __init__(self, name: str, engine: Engine[Model], *, stream: bool, clauses: bool) -> None:
        self.name = name
        self._engine = engine
        self._stream = stream
        self._clauses = clauses

    async def warm(self) -> None:
        """Load the model now, so that no measured call pays for it."""
        await self._engine.warm()

    async def stream(
        self, text: AsyncIterator[str], voice: Voice, context: SpeechContext
    ) -> AsyncGenerator[SpeechChunk, None]:
        """The text in one go, or clause by clause. Raises ConfigError for a voice or cue that cannot be,
        ModelError when the whole text gives no sound."""
        speed = self._checked(voice, context)
        chars, heard, sounded = 0, "", False
        async for piece in clauses_of(text) if self._clauses else _whole(text):
            chars += len(piece)
            heard += piece[:40]
            if not has_words(piece):
                continue
            async with contextlib.aclosing(self._said(Ask(piece, voice, self._stream, speed))) as clips:
                async for clip in clips:
                    # Characters count with the first sound: how they spread over the rest is unknown.
                    yield SpeechChunk(clip, chars)
                    chars, sounded = 0, True
        if not sounded:
            raise ModelError(self.name, f"no sound for {heard[:40]!r}")

    def _checked(self, voice: Voice, context: SpeechContext) -> float:
        """The speed, once everything that was asked for can be done."""
        if voice.name and voice.prompt is not None:
            raise ConfigError("cosyvoice: a voice is a saved speaker's name or a prompt clip, not both")
        if voice.prompt is not None and voice.prompt.duration_s > _LONGEST_PROMPT_S:
            seconds = voice.prompt.duration_s
            raise ConfigError(f"cosyvoice: a prompt clip lasts at most 30 s, not {seconds:.1f} s; cut it")
        for cue in context.cues:
            if cue != "rate":
                raise unknown("CosyVoice cue", cue, ["rate"])
        rate = context.cues.get("rate", 1.0)
        if not isinstance(rate, int | float) or not _RATES[0] <= rate <= _RATES[1]:
            raise ConfigError(f"cosyvoice: rate must be a number from 0.5 to 2, not {rate!r}")
        if self._stream and rate != 1:
            raise ConfigError("cosyvoice: rate cannot change while streaming; use stream=0")
        return float(rate)

    async def _said(self, ask: Ask) -> AsyncGenerator[Clip, None]:
        """One piece's sound as it comes out of the thread where the model runs."""
        pipe = _Pipe(asyncio.get_running_loop())
        worker = asyncio.create_task(asyncio.to_thread(self._produce, ask, pipe))
        try:
            while (made := await pipe.queue.get()) is not None:
                if isinstance(made, BaseException):
                    raise made
                yield made
        finally:
            pipe.stopped.set()
            worker.cancel()  # the thread goes on to the end of its text, and hands nothing over any more

    def _produce(self, ask: Ask, pipe: _Pipe) -> None:
        """In a thread. A text once begun is finished even if nobody listens: the model's own thread would go
        on drawing random numbers, and the next text would not be what its seed says."""

        def work(model: Model) -> None:
            for clip in model.speak(ask):
                if len(clip):
                    pipe.put(clip)

        try:
            if not pipe.stopped.is_set():
                self._engine.run_here(work)
        except Exception as error:  # noqa: BLE001  the native boundary: the caller gets it, the thread ends
            known = isinstance(error, ModelError | ConfigError)
            pipe.put(error if known else ModelError(self.name, f"{type(error).__name__}: {error}"))
        else:
            pipe.put(None)


async def _whole(text: AsyncIterator[str]) -> AsyncIterator[str]:
    """The text in one piece; the model splits it into sentences itself."""
    whole = "".join([piece async for piece in text])
    if whole:
        yield whole


class _Pipe:
    """What the native thread hands to the event loop; nothing any more once `stopped` is set."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.queue: asyncio.Queue[Clip | Exception | None] = asyncio.Queue()
        self.stopped = threading.Event()
        self._loop = loop

    def put(self, made: Clip | Exception | None) -> None:
        if not self.stopped.is_set():
            self._loop.call_soon_threadsafe(self.queue.put_nowait, made)
