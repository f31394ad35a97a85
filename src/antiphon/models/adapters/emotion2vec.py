"""`emotion2vec:`: the emotion in a voice, nine probabilities, by emotion2vec_plus_large run by funasr.

    emotion2vec:                                 emotion2vec_plus_large of ModelScope
    emotion2vec:emotion2vec_plus_large?hub=hf    the same of the Hugging Face hub
    emotion2vec:/path/to/folder

Classes are taken by their names in the model's tokens.txt. The published evaluation edits that file, three
classes become `unuse_N`, and funasr then leaves them out of its answer, so that whoever counts places reads
the wrong class. Here the file must name all nine; restricting them is the metric's business.
Source: Ma et al., "emotion2vec: Self-Supervised Pre-Training for Speech Emotion Representation", 2024.
"""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING, Any

from antiphon.errors import ConfigError, DataError, ModelError
from antiphon.models.adapters import funasr_loading
from antiphon.models.adapters.torch_device import place_of
from antiphon.models.native import Engines
from antiphon.models.scorable import NativeScorer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from antiphon.clock import Clock
    from antiphon.models.uri import Uri

CLASSES = ("angry", "happy", "neutral", "sad", "surprised", "disgusted", "fearful", "other", "unknown")
NAMES: funasr_loading.Names = {
    name: (f"iic/{name}", f"emotion2vec/{name}")
    for name in ("emotion2vec_plus_large", "emotion2vec_plus_base", "emotion2vec_plus_seed")
}

_engines: Engines[Any] = Engines()


def open_scorer(uri: Uri, clock: Clock) -> Emotion2vec:
    """A scorer; nothing but the names of its classes is read before its first clip.

    Raises ConfigError for unknown options, DataError for other classes than the nine, UnavailableError
    when package or weights are missing.
    """
    uri.only("hub", "revision", "threads", "device")
    threads = uri.whole("threads", 2)
    if threads < 1:
        raise ConfigError(f"{uri.text}: threads count from 1")
    found = funasr_loading.folder_of(uri, NAMES, "emotion2vec_plus_large")
    check_classes(found.folder / "tokens.txt")
    device = place_of(uri, funasr_loading.REMEDY).device
    engine = _engines.get(
        (found.folder, device, threads), lambda: funasr_loading.load(found.folder, device, threads)
    )
    said = f"on {device.partition(':')[0]} {funasr_loading.packages()}"
    return Emotion2vec(f"emotion2vec:{found.label} {said}", engine)


def class_of(label: str) -> str:
    """A class's plain name: "生气/angry" is angry, "<unk>" is unknown."""
    plain = label.rsplit("/", 1)[-1].strip().strip("<>").lower()
    return "unknown" if plain == "unk" else plain


def check_classes(tokens: Path) -> None:
    """Whether a model's tokens.txt names the nine classes, each once. Raises DataError that says which not."""
    try:
        labels = [line for line in tokens.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise DataError(tokens, "no such file; it names the classes of the model") from error
    found = [class_of(label) for label in labels]
    if sorted(found) == sorted(CLASSES):
        return
    lacking = [name for name in CLASSES if name not in found]
    strange = [label for label, name in zip(labels, found, strict=True) if name not in CLASSES]
    twice = sorted({name for name in found if found.count(name) > 1})
    problems = [
        f"{what} {', '.join(names)}"
        for what, names in (("names no", lacking), ("has", strange), ("names twice", twice))
        if names
    ]
    raise DataError(
        tokens,
        f"{'; '.join(problems)}. Restore the published file: an edited one moves classes to other places",
    )


class Emotion2vec(NativeScorer[Any]):
    """The probability of each of nine emotions, 1 in sum."""

    names = CLASSES

    def measure(self, model: Any, samples: NDArray[np.float32]) -> dict[str, float]:
        try:
            (row,) = funasr_loading.generate(
                model, [samples], granularity="utterance", extract_embedding=False
            )
        except RuntimeError as error:
            raise ModelError(self.name, " ".join(str(error).split())[:300]) from error
        return self._by_name(row["labels"], row["scores"])

    def _by_name(self, labels: Sequence[str], scores: Sequence[float]) -> dict[str, float]:
        """Probabilities in the order of CLASSES. Raises ModelError for other classes and for no probabilities."""
        named = {class_of(label): float(score) for label, score in zip(labels, scores, strict=True)}
        if len(labels) != len(CLASSES) or named.keys() != set(CLASSES):
            raise ModelError(self.name, f"answers with the classes {', '.join(labels)}, not with the nine")
        if not isclose(sum(named.values()), 1.0, abs_tol=1e-3):
            raise ModelError(self.name, f"its nine probabilities add up to {sum(named.values()):.4f}")
        return {name: named[name] for name in CLASSES}
