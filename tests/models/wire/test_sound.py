from __future__ import annotations

import struct

import pytest

from antiphon.audio.clip import Clip, join
from antiphon.audio.files import encode
from antiphon.models.wire.sound import SoundReader

CLIP = Clip([0.5, -0.5, 0.25, 0.0, -1.0], 16_000)


def header(channels=1, rate_hz=16_000, bits=16, size=0xFFFFFFFF):
    fmt = struct.pack("<HHIIHH", 1, channels, rate_hz, rate_hz * 2 * channels, 2 * channels, bits)
    return b"RIFF\xff\xff\xff\xffWAVEfmt " + struct.pack("<I", 16) + fmt + b"data" + struct.pack("<I", size)


def read_all(reader, pieces):
    return join([clip for piece in pieces if (clip := reader.read(piece)) is not None])


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_a_wav_stream_is_the_same_however_it_is_cut(size):
    data = header() + CLIP.pcm16()
    pieces = [data[at : at + size] for at in range(4, len(data), size)]
    assert read_all(SoundReader(24_000), [data[:4], *pieces]) == CLIP


def test_pieces_that_are_whole_files_drop_their_trailers():
    wav = encode(CLIP, "wav") + b"LIST\x04\x00\x00\x00abcd"
    assert read_all(SoundReader(24_000), [wav, wav]) == join([CLIP, CLIP])


def test_two_channels_become_their_mean():
    left_right = b"".join(struct.pack("<hh", value, 0) for value in (16384, -16384))
    assert read_all(SoundReader(8000), [header(channels=2) + left_right]) == Clip([0.25, -0.25], 16_000)


def test_bare_pcm_has_the_declared_rate():
    assert SoundReader(16_000).read(CLIP.pcm16()) == CLIP


def test_anything_but_16_bits_is_refused():
    with pytest.raises(ValueError, match="a WAV stream of 24 bits"):
        SoundReader(16_000).read(header(bits=24))
