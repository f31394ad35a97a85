"""CosyVoice2 and CosyVoice3 as their repository runs them: one loaded model, and which of its calls a voice means."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import logging
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.audio.resample import resample
from antiphon.errors import UnavailableError, unknown

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from antiphon.models.ports import Voice

_DEFAULT_PROMPT = ("asset/zero_shot_prompt.wav", "希望你以后能够做的比我还好呦。")
_LOWEST_PROMPT_HZ = 16_000
_END = "<|endofprompt|>"


@dataclass(frozen=True, slots=True)
class Family:
    """How a generation of the model wants its prompts: what stands before words, styles and bare texts."""

    name: str
    words: str = ""
    style: str = ""
    bare: str = ""


# A model's folder holds one of these files.
FAMILIES = {
    "cosyvoice2.yaml": Family("CosyVoice2"),
    "cosyvoice3.yaml": Family(
        "CosyVoice3",
        words=f"You are a helpful assistant.{_END}",
        style="You are a helpful assistant. ",
        bare=f"You are a helpful assistant.{_END}",
    ),
}


@dataclass(frozen=True, slots=True)
class Ask:
    """One text to be said, and how."""

    text: str
    voice: Voice
    stream: bool
    speed: float


class Model:
    """The repository's model, loaded; one call at a time."""

    def __init__(self, repo: Path, folder: Path, family: Family, *, half: bool) -> None:
        self._repo = repo
        self._family = family
        module, self._seed = _imported(repo)
        self._model = module.AutoModel(model_dir=str(folder), fp16=half)
        if "prompt_wav" not in inspect.signature(self._model.inference_zero_shot).parameters:
            raise UnavailableError(f"{repo} is older than December 2025", f"git -C {repo} pull")
        self.rate_hz = int(self._model.sample_rate)
        self._hop = getattr(self._model.model, "token_hop_len", None)

    def speak(self, ask: Ask) -> Generator[Clip]:
        """The sound, in one piece a sentence or, streaming, as it is made. Raises ConfigError for a voice
        that the model does not have."""
        self._seed(ask.voice.seed)
        if (
            self._hop is not None
        ):  # it grows while streaming and stays grown, so that the next text would differ
            self._model.model.token_hop_len = self._hop
        with tempfile.TemporaryDirectory(prefix="antiphon-") as folder:
            for made in self._call(ask, Path(folder)):
                samples = made["tts_speech"].detach().cpu().numpy()
                yield Clip(np.clip(samples.reshape(-1).astype(np.float32), -1, 1), self.rate_hz)

    def _call(self, ask: Ask, folder: Path) -> Iterator[dict[str, Any]]:
        voice, family = ask.voice, self._family
        prompt, words = self._prompt(voice, folder)
        how = {"zero_shot_spk_id": voice.name, "stream": ask.stream, "speed": ask.speed}
        if voice.style:
            style = f"{family.style}{voice.style}{_END}"
            return self._model.inference_instruct2(ask.text, style, prompt, **how)
        if words or voice.name:
            said = f"{family.words}{words}" if words else ""
            return self._model.inference_zero_shot(ask.text, said, prompt, **how)
        return self._model.inference_cross_lingual(f"{family.bare}{ask.text}", prompt, **how)

    def _prompt(self, voice: Voice, folder: Path) -> tuple[str, str]:
        """The prompt's file and its words; none of both for a saved speaker."""
        if voice.name:
            known = list(self._model.list_available_spks())
            if voice.name not in known:
                raise unknown("CosyVoice speaker", voice.name, known, "give a prompt clip instead")
            return "", ""
        if voice.prompt is None:
            file, words = _DEFAULT_PROMPT
            return str(self._repo / file), words
        path = folder / "prompt.wav"
        write(path, resample(voice.prompt, max(voice.prompt.rate_hz, _LOWEST_PROMPT_HZ)))
        return str(path), voice.prompt_text


def _imported(repo: Path) -> tuple[Any, Any]:
    """The repository's module and its function that seeds everything. Raises UnavailableError."""
    for place in (repo / "third_party/Matcha-TTS", repo):
        if str(place) not in sys.path:
            sys.path.append(str(place))
    try:
        with _logging_kept():
            module: Any = importlib.import_module("cosyvoice.cli.cosyvoice")
            common = importlib.import_module("cosyvoice.utils.common")
    except ImportError as error:
        raise UnavailableError(
            f"CosyVoice is here but does not load ({error})", f"pip install -r {repo / 'requirements.txt'}"
        ) from error
    if not Path(str(module.__file__)).resolve().is_relative_to(repo):
        raise UnavailableError(f"another package called cosyvoice hides {repo}", "pip uninstall cosyvoice")
    module.tqdm = iter  # a bar for every sentence would run through our own progress
    return module, common.set_all_random_seed


@contextlib.contextmanager
def _logging_kept() -> Generator[None]:
    """The repository sets everybody's logging to DEBUG when it is imported."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers
