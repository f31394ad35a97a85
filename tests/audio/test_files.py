from __future__ import annotations

import io
import resource
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile

from antiphon.audio.clip import Clip
from antiphon.audio.files import Format, decode, encode, read, read_pcm, write
from antiphon.errors import ConfigError, DataError
from antiphon.ids import rng


def voice(seconds: float = 1.0, rate_hz: int = 16000) -> Clip:
    samples = rng(1, "voice").standard_normal(round(seconds * rate_hz)) * 0.1
    return Clip(samples, rate_hz)


def wav(clip: Clip) -> bytearray:
    return bytearray(encode(clip, "wav"))


@pytest.mark.parametrize("format", ["flac", "wav"])
def test_a_lossless_file_keeps_the_digest_and_its_bytes(tmp_path: Path, format: Format) -> None:
    every_value = Clip.from_pcm16(np.arange(-32768, 32768, dtype="<i2").tobytes(), 24000)
    path = tmp_path / f"all.{format}"
    write(path, every_value)
    assert read(path) == every_value
    assert read(path).digest == every_value.digest
    assert path.read_bytes() == encode(every_value, format)


@pytest.mark.parametrize("format", ["ogg", "mp3"])
def test_a_lossy_file_keeps_rate_and_sound(format: Format) -> None:
    samples = 0.5 * np.sin(2 * np.pi * 440 * np.arange(48000) / 24000)
    back = decode(encode(Clip(samples, 24000), format), "tone")
    assert back.rate_hz == 24000
    assert back.duration_s == pytest.approx(2, abs=0.1)
    spectrum = np.abs(np.fft.rfft(back.samples))
    assert np.fft.rfftfreq(len(back), 1 / 24000)[spectrum.argmax()] == pytest.approx(440, abs=1)


def test_a_minute_of_vorbis_is_written_in_blocks() -> None:
    assert decode(encode(voice(60), "ogg"), "long").duration_s == pytest.approx(60, abs=0.1)


def test_channels_are_mixed_by_their_mean(tmp_path: Path) -> None:
    path = tmp_path / "stereo.wav"
    soundfile.write(path, np.array([[16384, 0], [-16384, -8192]], dtype=np.int16), 8000)
    assert read(path) == Clip([0.25, -0.375], 8000)


def test_24_bit_and_float_files_are_read(tmp_path: Path) -> None:
    for subtype in ("PCM_24", "FLOAT"):
        path = tmp_path / f"{subtype}.wav"
        soundfile.write(path, np.array([0.5, -0.25]), 8000, subtype=subtype)
        assert read(path) == Clip([0.5, -0.25], 8000)


def test_a_wav_cut_short_is_refused_and_not_shortened(tmp_path: Path) -> None:
    path = tmp_path / "torn.wav"
    path.write_bytes(wav(voice())[:19226])
    with pytest.raises(DataError, match=r"torn\.wav: cut short: 19182 of 32000 bytes of sound are there"):
        read(path)


def test_a_wav_cut_by_one_sample_is_refused() -> None:
    with pytest.raises(DataError, match="cut short: 31998 of 32000 bytes"):
        decode(bytes(wav(voice())[:-2]), "torn")


@pytest.mark.parametrize("size", [0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_F000])
def test_a_wav_from_a_pipe_does_not_know_its_size(size: int) -> None:
    clip = voice()
    data = wav(clip)
    struct.pack_into("<I", data, data.index(b"data") + 4, size)
    assert decode(bytes(data), "pipe").digest == clip.digest


def test_chunks_before_and_after_the_sound_do_not_disturb() -> None:
    clip = voice(0.1)
    data = bytes(wav(clip))
    odd = b"note" + struct.pack("<I", 3) + b"abc\0"
    middle = data.index(b"data")
    body = data[12:middle] + odd + data[middle:] + odd
    again = b"RIFF" + struct.pack("<I", len(body) + 4) + b"WAVE" + body
    assert decode(again, "chunks").digest == clip.digest


@pytest.mark.parametrize("format", ["flac", "ogg", "mp3"])
def test_other_formats_cut_short_are_refused(format: Format) -> None:
    data = encode(voice(), format)
    with pytest.raises(DataError, match=r"cut short|corrupt|holds no sound"):
        decode(data[: len(data) * 6 // 10], "torn")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "bad: empty file"),
        (b"hello world" * 99, r"bad: not a sound file, or a corrupt one \(Format not recognised\)"),
        (b"RIFF0000WAVE", "bad: not a sound file, or a corrupt one"),
        (b"<html>404</html>", "bad: not a sound file"),
    ],
)
def test_bytes_that_are_no_sound_are_refused(data: bytes, why: str) -> None:
    with pytest.raises(DataError, match=why):
        decode(data, "bad")


def test_random_damage_never_escapes_as_another_error() -> None:
    generator = rng(3, "damage")
    for format in ("wav", "flac", "ogg"):
        whole = bytearray(encode(voice(0.2), format))
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(4):
                data[int(generator.integers(min(len(data), 200)))] = int(generator.integers(256))
            try:
                clip = decode(bytes(data), "damaged")
            except DataError:
                continue
            assert len(clip) > 0


def test_a_header_without_samples_is_refused() -> None:
    buffer = io.BytesIO()
    soundfile.write(buffer, np.zeros(0, dtype=np.int16), 8000, format="WAV")
    with pytest.raises(DataError, match="none: holds no sound"):
        decode(buffer.getvalue(), "none")


def test_samples_that_are_not_numbers_are_refused() -> None:
    buffer = io.BytesIO()
    soundfile.write(buffer, np.array([0.5, np.nan]), 8000, format="WAV", subtype="FLOAT")
    with pytest.raises(DataError, match="nan: a clip holds finite samples only"):
        decode(buffer.getvalue(), "nan")


def test_paths_that_are_no_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.wav: no such file"):
        read(tmp_path / "gone.wav")
    with pytest.raises(DataError, match=f"{tmp_path}: not a file"):
        read(tmp_path)


def test_a_long_file_is_refused_by_its_header_without_being_decoded(tmp_path: Path) -> None:
    path = tmp_path / "long.flac"
    soundfile.write(path, np.zeros(16000 * 601, dtype=np.int16), 16000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DataError, match=r"long\.flac: 601 s long, more than 600 s; split it first"):
        read(path, max_s=600)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10_000  # KiB; decoded: 37,500


def test_an_absurd_rate_is_refused() -> None:
    data = wav(voice(0.1))
    struct.pack_into("<I", data, 24, 3)
    with pytest.raises(DataError, match="a rate of 3 Hz"):
        decode(bytes(data), "slow")


def test_raw_samples_are_read_at_the_rate_given(tmp_path: Path) -> None:
    path = tmp_path / "raw.pcm"
    path.write_bytes(voice().pcm16())
    assert read_pcm(path, 16000).digest == voice().digest


def test_raw_samples_are_refused_clearly(tmp_path: Path) -> None:
    path = tmp_path / "raw.pcm"
    with pytest.raises(DataError, match="no such file"):
        read_pcm(path, 16000)
    path.write_bytes(b"")
    with pytest.raises(DataError, match="holds no sound"):
        read_pcm(path, 16000)
    path.write_bytes(b"abc")
    with pytest.raises(DataError, match="3 bytes are no whole number of 16-bit samples"):
        read_pcm(path, 16000)
    path.write_bytes(b"ab" * 16000)
    with pytest.raises(DataError, match=r"1 s long, more than 0\.5 s"):
        read_pcm(path, 16000, max_s=0.5)


def test_an_empty_clip_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "empty.flac"
    with pytest.raises(ValueError, match="an empty clip has no file"):
        write(path, Clip([], 16000))
    assert not path.exists()


def test_an_unknown_format_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no sound format 'aiff'; there are: flac, mp3, ogg, wav"):
        write(tmp_path / "a.aiff", voice())


def test_a_rate_that_the_format_lacks_says_what_to_do() -> None:
    with pytest.raises(DataError, match=r"mp3: cannot carry Clip\(1\.000 s at 9000 Hz\).*resample first"):
        encode(voice(rate_hz=9000), "mp3")
