"""The subsets of Full-Duplex-Bench: which folders hold them, what a sample is made of, and how many were published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from antiphon.errors import ConfigError, unknown

if TYPE_CHECKING:
    from collections.abc import Collection

    from antiphon.bench.items import Speech

Task = Literal["pause", "turn", "backchannel", "interruption", "overlap", "tools"]
OPEN = "open"  # our own sets, in virtual time: open_sets.py
SOURCE = "github.com/DanielLin94144/Full-Duplex-Bench (its README links the recordings)"


@dataclass(frozen=True, slots=True)
class Subset:
    """One folder of samples. `others` are further names that it goes by, `notes` its file of annotations."""

    name: str
    task: Task
    notes: str
    count: int
    speech: Speech
    others: tuple[str, ...] = ()


VERSIONS: dict[str, tuple[Subset, ...]] = {
    "1.0": (
        Subset(
            "candor_pause_handling", "pause", "pause.json", 216, "recorded", ("candor_pause", "pause_handling_candor")
        ),
        Subset(
            "synthetic_pause_handling", "pause", "pause.json", 137, "synthetic",
            ("synthetic_pause", "pause_handling_synthetic", "pause_handling"),
        ),
        Subset(
            "candor_turn_taking", "turn", "turn_taking.json", 119, "recorded",
            ("candor_smooth_turn_taking", "smooth_turn_taking", "turn_taking"),
        ),
        Subset("icc_backchannel", "backchannel", "", 55, "recorded", ("backchannel",)),
        Subset(
            "synthetic_user_interruption", "interruption", "interrupt.json", 200, "synthetic", ("user_interruption",)
        ),
    ),
    "1.5": (
        Subset("user_interruption", "overlap", "metadata.json", 200, "synthetic"),
        Subset("user_backchannel", "overlap", "metadata.json", 99, "synthetic"),
        Subset("talking_to_other", "overlap", "metadata.json", 100, "synthetic", ("talking_to_others",)),
        Subset("background_speech", "overlap", "metadata.json", 100, "synthetic"),
    ),
    "3.0": (Subset("tool_use", "tools", "metadata.json", 100, "recorded", ("fdb_v3_data_released",)),),
}  # fmt: skip
# Where a version's folders may lie below the folder that the user names.
PLACES = {
    "1.0": ("", "v1.0", "v1_0", "v1", "1.0"),
    "1.5": ("", "v1.5", "v1_5", "1.5"),
    "3.0": ("", "v3", "v3.0", "v3_0", "3.0"),
}
TASKS: dict[str, Task] = {subset.name: subset.task for of in VERSIONS.values() for subset in of}


def known_version(name: str | None) -> str:
    """A version by its name, a leading "v" left out. Raises ConfigError."""
    if name is None:
        raise ConfigError(f"full-duplex has several sets; add --version {', '.join((*VERSIONS, OPEN))}")
    plain = name.removeprefix("v")
    plain = {"1": "1.0", "3": "3.0"}.get(plain, plain)
    if plain not in VERSIONS and plain != OPEN:
        raise unknown(
            "version",
            name,
            (*VERSIONS, OPEN),
            "2.0 is a conversation with another model, and is not performed here",
        )
    return plain


def chosen(version: str, names: Collection[str]) -> tuple[Subset, ...]:
    """The subsets of a version that the user wants; all where nothing is said. Raises ConfigError."""
    subsets = {subset.name: subset for subset in VERSIONS[version]}
    for name in names:
        if name not in subsets:
            raise unknown("subset", name, subsets, f"full-duplex {version} has no other")
    return tuple(subset for name, subset in subsets.items() if not names or name in names)
