from __future__ import annotations

import io

import numpy as np
import pytest
import soundfile

from antiphon.audio import g711
from antiphon.audio.clip import Clip

CODES = bytes(range(256))
EVERY_VALUE = np.arange(-32768, 32768).astype(np.int16)


def libsndfile(values: np.ndarray, subtype: str) -> bytes:
    """The codes that another implementation gives."""
    buffer = io.BytesIO()
    soundfile.write(buffer, values, 8000, format="RAW", subtype=subtype, endian="LITTLE")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("code", "value"),
    # G.711 table 2: decision value 8031 and its neighbours in 14 bits, here times four.
    [
        (0x80, 32124),
        (0x00, -32124),
        (0x8F, 16764),
        (0x90, 15996),
        (0xFE, 8),
        (0x7E, -8),
        (0xFF, 0),
        (0x7F, 0),
    ],
)
def test_mu_law_codes_have_the_values_of_the_standard(code: int, value: int) -> None:
    assert g711.mu_decode(bytes([code])).tolist() == [value]


@pytest.mark.parametrize(
    ("code", "value"),
    # G.711 table 1 in 13 bits (1, 3, 31, 33, 4032), here times eight.
    [(0xD5, 8), (0x55, -8), (0xD4, 24), (0xDA, 248), (0xC5, 264), (0xAA, 32256), (0x2A, -32256)],
)
def test_a_law_codes_have_the_values_of_the_standard(code: int, value: int) -> None:
    assert g711.a_decode(bytes([code])).tolist() == [value]


def test_every_a_law_code_survives_decoding_and_encoding() -> None:
    assert g711.a_encode(g711.a_decode(CODES)) == CODES


def test_every_mu_law_code_survives_but_the_second_zero() -> None:
    back = bytearray(CODES)
    back[0x7F] = 0xFF  # minus zero and plus zero are one 16-bit value
    assert g711.mu_encode(g711.mu_decode(CODES)) == bytes(back)


@pytest.mark.parametrize(
    ("decision", "below", "at"),
    # G.711 table 2a: decision values in 14 bits, and the quantised values on both sides of each.
    [(1, 0, 2), (3, 2, 4), (31, 30, 33), (35, 33, 37), (95, 93, 99), (4063, 3999, 4191), (7903, 7775, 8031)],
)
def test_mu_law_decides_where_the_standard_does(decision: int, below: int, at: int) -> None:
    values = np.array([4 * decision - 1, 4 * decision, 1 - 4 * decision, -4 * decision], dtype=np.int16)
    got = g711.mu_decode(g711.mu_encode(values))
    assert (got // 4).tolist() == [below, at, -below, -at]


@pytest.mark.parametrize(
    ("decision", "below", "at"),
    # G.711 table 1a: decision values in 13 bits.
    [(2, 1, 3), (64, 63, 66), (68, 66, 70), (128, 126, 132), (2048, 2016, 2112), (3968, 3904, 4032)],
)
def test_a_law_decides_where_the_standard_does(decision: int, below: int, at: int) -> None:
    values = np.array([8 * decision - 8, 8 * decision], dtype=np.int16)
    got = g711.a_decode(g711.a_encode(values))
    mirrored = g711.a_decode(g711.a_encode(~values))
    assert (got // 8).tolist() == [below, at]
    assert mirrored.tolist() == [-value for value in got.tolist()]


def test_louder_never_becomes_softer() -> None:
    for encode, values in ((g711.mu_encode, g711.MU_VALUES), (g711.a_encode, g711.A_VALUES)):
        assert np.diff(values[np.frombuffer(encode(EVERY_VALUE), np.uint8)].astype(np.int64)).min() == 0


def test_another_implementation_decodes_alike() -> None:
    for subtype, values in (("ULAW", g711.MU_VALUES), ("ALAW", g711.A_VALUES)):
        theirs, _ = soundfile.read(
            io.BytesIO(CODES), dtype="int16", format="RAW", subtype=subtype, samplerate=8000, channels=1
        )
        assert theirs.tolist() == values.tolist()


def test_another_implementation_encodes_within_one_step() -> None:
    for subtype, encode, values in (
        ("ULAW", g711.mu_encode, g711.MU_VALUES),
        ("ALAW", g711.a_encode, g711.A_VALUES),
    ):
        ours = values[np.frombuffer(encode(EVERY_VALUE), np.uint8)].astype(np.int64)
        theirs = values[np.frombuffer(libsndfile(EVERY_VALUE, subtype), np.uint8)].astype(np.int64)
        assert np.mean(ours == theirs) > 0.99


def test_the_telephone_has_8_khz_and_the_noise_of_its_codec() -> None:
    tone = Clip(0.5 * np.sin(2 * np.pi * 997 * np.arange(24000) / 24000), 24000)
    heard = g711.telephone(tone)
    assert (heard.rate_hz, len(heard)) == (8000, 8000)
    clean = 0.5 * np.sin(2 * np.pi * 997 * np.arange(8000) / 8000)
    middle = slice(500, 7500)
    noise = heard.samples[middle] - clean[middle]
    snr_db = 10 * np.log10(np.mean(clean[middle] ** 2) / np.mean(noise**2))
    assert 36 < snr_db < 40  # G.711 gives about 38 dB for a loud tone


def test_the_telephone_removes_what_lies_above_4_khz() -> None:
    hiss = Clip(0.5 * np.sin(2 * np.pi * 6000 * np.arange(24000) / 24000), 24000)
    assert float(np.abs(g711.telephone(hiss).samples[500:7500]).max()) < 1e-3
