"""Sound in files: wav, flac, mp3 and ogg through libsndfile, raw PCM, and clear refusals."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, get_args

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.errors import DataError, unknown
from antiphon.jsonl import write_bytes

if TYPE_CHECKING:
    import soundfile
    from numpy.typing import NDArray

Format = Literal["flac", "wav", "ogg", "mp3"]

MAX_S = 3600.0
RATES_HZ = range(1000, 768_001)

_SUBTYPES: dict[str, str] = {"flac": "PCM_16", "wav": "PCM_16", "ogg": "VORBIS", "mp3": "MPEG_LAYER_III"}
_BLOCK = 1 << 17
# Writers to a pipe cannot know the size and leave the largest number there is, or one just below it.
_UNKNOWN_SIZE = 0x7FFF_0000
# An mp3 whose header counts the encoder's padding may hold up to two frames less.
_MP3_SLACK = 2 * 1152


def read(path: Path | str, *, max_s: float = MAX_S) -> Clip:
    """A sound file as a clip at its own rate; several channels become their mean.

    Raises DataError for a file that is missing, not audio, corrupt, cut short, without sound, or longer
    than `max_s` by its header (nothing is decoded then). An mp3 or ogg stream that carries no length
    cannot be caught when it is cut at a frame.
    """
    place = Path(path)
    if not place.exists():
        raise DataError(place, "no such file")
    if not place.is_file():
        raise DataError(place, "not a file")
    try:
        with place.open("rb") as file:
            return _read(file, str(place), max_s)
    except OSError as error:
        raise DataError(place, f"cannot be read ({error.strerror or error})") from error


def decode(data: bytes, name: str, *, max_s: float = MAX_S) -> Clip:
    """A sound file's bytes as a clip, like `read`; `name` stands for the path in errors."""
    return _read(io.BytesIO(data), name, max_s)


def read_pcm(path: Path | str, rate_hz: int, *, max_s: float = MAX_S) -> Clip:
    """A headerless file of little-endian 16-bit mono samples. Raises DataError like `read`."""
    place = Path(path)
    if not place.is_file():
        raise DataError(place, "no such file")
    size = place.stat().st_size
    if size == 0:
        raise DataError(place, "holds no sound")
    if size % 2:
        raise DataError(place, f"{size} bytes are no whole number of 16-bit samples")
    _check_length(size // 2, rate_hz, str(place), max_s)
    return Clip.from_pcm16(place.read_bytes(), rate_hz)


def encode(clip: Clip, format: Format = "flac") -> bytes:
    """A clip as a file's bytes: flac and wav in 16 bits, ogg as Vorbis, mp3.

    flac and wav read back with the same `digest` and always give the same bytes; an ogg file carries a
    random serial number, and mp3 keeps neither samples nor exact length. Raises ConfigError for another
    format, ValueError for an empty clip, DataError for a rate that the format does not have.
    """
    import soundfile

    if format not in _SUBTYPES:
        raise unknown("sound format", format, get_args(Format))
    if not len(clip):
        raise ValueError("an empty clip has no file: nothing could read it back")
    samples = np.frombuffer(clip.pcm16(), dtype="<i2")
    buffer = io.BytesIO()
    try:
        with soundfile.SoundFile(
            buffer, "w", clip.rate_hz, 1, _SUBTYPES[format], format=format.upper()
        ) as file:
            # In blocks, because libsndfile's Vorbis encoder overruns its stack on one long write.
            for start in range(0, len(samples), _BLOCK):
                file.write(samples[start : start + _BLOCK])
    except soundfile.SoundFileError as error:
        raise DataError(format, f"cannot carry {clip}: {_reason(error)}; resample first") from error
    return buffer.getvalue()


def write(path: Path | str, clip: Clip) -> None:
    """Write a clip in the format that the suffix names, all or nothing. Raises as `encode`, and DataError."""
    place = Path(path)
    suffix = place.suffix.removeprefix(".").lower()
    for format in get_args(Format):
        if format == suffix:
            return write_bytes(place, encode(clip, format))
    raise unknown("sound format", suffix, get_args(Format), f"rename {place.name}")


def _read(file: BinaryIO, name: str, max_s: float) -> Clip:
    import soundfile

    if not file.read(1):
        raise DataError(name, "empty file")
    _check_riff(file, name)
    file.seek(0)
    try:
        with soundfile.SoundFile(file) as sound:
            _check_length(sound.frames, sound.samplerate, name, max_s)
            samples = _mixed_down(sound)
            slack = _MP3_SLACK if sound.format == "MP3" else 0
            promised, rate_hz = sound.frames, sound.samplerate
    except soundfile.SoundFileError as error:
        raise DataError(name, f"not a sound file, or a corrupt one ({_reason(error)})") from error
    if len(samples) < promised - slack or not len(samples):
        raise DataError(name, f"cut short: {len(samples)} of {promised} samples are there")
    try:
        return Clip(samples, rate_hz)
    except ValueError as error:
        raise DataError(name, str(error)) from error


def _check_length(frames: int, rate_hz: int, name: str, max_s: float) -> None:
    if rate_hz not in RATES_HZ:
        raise DataError(name, f"a rate of {rate_hz} Hz; sound has {RATES_HZ.start} to {RATES_HZ.stop - 1} Hz")
    if frames <= 0:
        raise DataError(name, "holds no sound")
    if frames > max_s * rate_hz:
        raise DataError(name, f"{frames / rate_hz:.0f} s long, more than {max_s:g} s; split it first")


def _mixed_down(sound: soundfile.SoundFile) -> NDArray[np.float32]:
    blocks: list[NDArray[np.float32]] = []
    # Block by block, so that neither a lying header nor eight channels cost memory.
    while len(block := np.asarray(sound.read(_BLOCK, dtype="float32"), np.float32)):
        blocks.append(block if sound.channels == 1 else block.mean(axis=1, dtype=np.float32))
    samples = np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.float32)
    samples.flags.writeable = False  # ours alone: a clip may keep it without a copy
    return samples


def _check_riff(file: BinaryIO, name: str) -> None:
    """Refuse a wav that promises more samples than it has: libsndfile would quietly give fewer."""
    file.seek(0)
    head = file.read(12)
    if head[:4] != b"RIFF" or head[8:] != b"WAVE":
        return
    while len(chunk := file.read(8)) == 8:
        tag, size = struct.unpack("<4sI", chunk)
        if tag == b"data":
            start = file.tell()
            there = file.seek(0, io.SEEK_END) - start
            if there < size < _UNKNOWN_SIZE:
                raise DataError(name, f"cut short: {there} of {size} bytes of sound are there")
            return
        file.seek(size + size % 2, io.SEEK_CUR)


def _reason(error: Exception) -> str:
    return str(error).rsplit(">: ", 1)[-1].rstrip(".").strip()
