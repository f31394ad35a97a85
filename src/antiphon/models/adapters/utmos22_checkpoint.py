"""Reads a UTMOS22 checkpoint without fairseq and lightning, and gives its weights one set of names.

Two layouts are known: the authors' lightning checkpoint (their demo's `epoch=3-step=7459.ckpt`), and its
export for SpeechMOS (`utmos22_strong_step7459_v1.pt`), which keeps one row of each embedding. Names after reading:
`ssl.*` (wav2vec 2.0, fairseq's names), `domain` and `judge` (rows of embeddings), `blstm.*`,
`projection.0.*` and `projection.1.*`.
"""

from __future__ import annotations

import importlib
import pickle
import pickletools
import zipfile
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from antiphon.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

# Beginning of a checkpoint's name → of ours.
AUTHORS = {
    "feature_extractors.0.ssl_model.": "ssl.",
    "feature_extractors.1.embedding.weight": "domain",
    "output_layers.0.judge_embedding.weight": "judge",
    "output_layers.0.decoder_rnn.": "blstm.",
    "output_layers.1.net.0.": "projection.0.",
    "output_layers.1.net.3.": "projection.1.",
}
SPEECHMOS = {
    "wav2vec2.": "ssl.",
    "domain_emb": "domain",
    "judge_emb": "judge",
    "blstm.": "blstm.",
    "projection.0.": "projection.0.",
    "projection.2.": "projection.1.",
}

_UNUSED = ("ssl.mask_emb",)  # masks frames in training only
_PHONEMES = "feature_extractors.1.encoder."
# Newer torch writes a weight norm's two parts under other names.
_RENAMED = {"parametrizations.weight.original0": "weight_g", "parametrizations.weight.original1": "weight_v"}
_LINEAR = ("weight", "bias")
# Dictionaries of a kind of their own: read as plain ones, since torch fills no other.
_DICTIONARIES = ("collections.defaultdict", "pytorch_lightning.utilities.parsing.AttributeDict")


class _Inert:
    """Stands for any class that a checkpoint's settings name: takes everything, does nothing."""

    def __new__(cls, *_: object) -> _Inert:
        return super().__new__(cls)

    def __init__(self, *_: object) -> None: ...

    def __setstate__(self, _: object) -> None: ...


class _Plain:
    def __new__(cls, *_: object) -> Any:
        return {}


def read(path: Path) -> dict[str, Any]:
    """The checkpoint's tensors under our names, float32, on the CPU.

    Nothing that the file names is imported or called. Raises DataError for anything but a UTMOS22
    strong learner without phonemes on wav2vec 2.0 base.
    """
    return renamed(path, _state(path))


def _state(path: Path) -> Mapping[str, Any]:
    torch = importlib.import_module("torch")
    try:
        with torch.serialization.safe_globals(_stand_ins(torch, path)):
            loaded = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, AttributeError, TypeError) as error:
        problem = " ".join(str(error).split())[:160]
        raise DataError(
            path,
            f"its weights cannot be read safely ({problem}); if you trust it, save them alone: "
            "torch.save(torch.load(PATH, weights_only=False)['state_dict'], NEW_PATH)",
        ) from error
    state = loaded.get("state_dict", loaded) if isinstance(loaded, dict) else None
    if not isinstance(state, dict) or not all(torch.is_tensor(value) for value in state.values()):
        raise DataError(path, "holds no weights by name (a dictionary of tensors, or one under state_dict)")
    return state


@lru_cache(maxsize=8)
def look(path: Path, modified_ns: int) -> None:
    """Check by its names alone, without torch, that a file can be the model: a run finds out before it begins.

    `modified_ns` is when the file was last written. Raises DataError.
    """
    try:
        with zipfile.ZipFile(path) as packed:
            (index,) = [name for name in packed.namelist() if name.rpartition("/")[2] == "data.pkl"]
            written = {word for _, word, _ in pickletools.genops(packed.read(index)) if isinstance(word, str)}
    except (zipfile.BadZipFile, ValueError):
        raise DataError(path, "is no checkpoint that torch wrote (or a download that broke off)") from None
    _refuse_phonemes(path, written)
    layout = _layout(written)
    ours = {found for name in written if (found := _our_name(name, layout))}
    _refuse(path, [name for name in _needed(ours) if name not in ours], [])


def _layout(names: Collection[str]) -> Mapping[str, str]:
    return SPEECHMOS if "judge_emb" in names else AUTHORS


def _refuse_phonemes(path: Path, names: Collection[str]) -> None:
    if any(name.startswith(_PHONEMES) for name in names):
        raise DataError(
            path,
            "has a phoneme encoder, which needs each clip's text; "
            "use the demo's checkpoint (epoch=3-step=7459.ckpt) or one trained without phonemes",
        )


def _refuse(path: Path, missing: Sequence[str], strange: Sequence[str]) -> None:
    what = [f"{title} {_few(names)}" for title, names in (("no", missing), ("unknown", strange)) if names]
    if what:
        raise DataError(path, f"is no UTMOS22 strong learner on wav2vec 2.0 base: {'; '.join(what)}")


def _stand_ins(torch: Any, path: Path) -> list[type]:
    """For every name in the file that torch would refuse, a class that does nothing."""
    found: list[type] = []
    for name in torch.serialization.get_unsafe_globals_in_checkpoint(path):
        module, _, attribute = str(name).rpartition(".")
        base = _Plain if name in _DICTIONARIES else _Inert
        found.append(
            type(attribute, (base,), {"__module__": module or "builtins", "__qualname__": attribute})
        )
    return found


def renamed(path: Path, state: Mapping[str, Any]) -> dict[str, Any]:
    """A state dictionary under our names, complete and with nothing over. Raises DataError (about `path`)."""
    _refuse_phonemes(path, state)
    layout = _layout(state)
    weights: dict[str, Any] = {}
    strange: list[str] = []
    for name, value in state.items():
        ours = _our_name(name, layout)
        if ours is None:
            strange.append(name)
        elif ours not in _UNUSED:
            weights[ours] = value.float().clone()  # the file may be replaced meanwhile
    missing = [name for name in _needed(weights) if name not in weights]
    strange += sorted(weights.keys() - set(_needed(weights)))
    _refuse(path, missing, strange)
    return weights


def _our_name(name: str, layout: Mapping[str, str]) -> str | None:
    for old, new in _RENAMED.items():
        name = name.replace(old, new)
    for beginning, ours in layout.items():
        if name.startswith(beginning):
            return ours + name[len(beginning) :]
    return None


def _needed(weights: Collection[str]) -> list[str]:
    """The names of a whole model with as many convolutions and layers as there are in `weights`."""
    names = ["domain", "judge", "ssl.encoder.pos_conv.0.weight_g", "ssl.encoder.pos_conv.0.weight_v"]
    names += ["ssl.encoder.pos_conv.0.bias"]
    names += [f"ssl.feature_extractor.conv_layers.{at}.0.weight" for at in range(convolutions(weights))]
    parts = ["ssl.feature_extractor.conv_layers.0.2", "ssl.layer_norm", "ssl.post_extract_proj"]
    parts += ["ssl.encoder.layer_norm", "projection.0", "projection.1"]
    inner = [f"self_attn.{part}_proj" for part in ("q", "k", "v", "out")]
    inner += ["self_attn_layer_norm", "fc1", "fc2", "final_layer_norm"]
    parts += [f"ssl.encoder.layers.{at}.{part}" for at in range(layers(weights)) for part in inner]
    names += [f"{part}.{kind}" for part in parts for kind in _LINEAR]
    kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    return [*names, *(f"blstm.{kind}_l0{way}" for kind in kinds for way in ("", "_reverse"))]


def convolutions(weights: Collection[str]) -> int:
    """How many convolutions the model hears with; at least one, so that none is named as missing."""
    return _count(weights, "ssl.feature_extractor.conv_layers.{}.0.weight")


def layers(weights: Collection[str]) -> int:
    """How many transformer layers it has; at least one likewise."""
    return _count(weights, "ssl.encoder.layers.{}.fc1.weight")


def _count(weights: Collection[str], pattern: str) -> int:
    at = 0
    while pattern.format(at) in weights:
        at += 1
    return max(at, 1)


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
