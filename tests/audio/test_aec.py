from __future__ import annotations

import numpy as np
import pytest

from antiphon.audio.aec import BLOCK_BYTES, Aec3


def test_a_delayed_copy_of_the_loudspeaker_is_taken_out_and_a_voice_is_not():
    pytest.importorskip("livekit.rtc.apm", reason="pip install 'antiphon[echo]'")
    random = np.random.default_rng(3)
    far = (3000 * random.standard_normal(16_000 * 8)).astype("<i2")
    near = np.roll(far, 1600) // 4
    near[:1600] = 0
    person = (2000 * np.sin(np.arange(16_000) * 2 * np.pi * 300 / 16_000)).astype("<i2")
    near[-16_000:] += person
    canceller = Aec3()
    left = b"".join(
        canceller.cancel(near[at : at + 160].tobytes(), far[at : at + 160].tobytes())
        for at in range(0, len(near), 160)
    )
    kept = np.frombuffer(left, dtype="<i2").astype(float)

    def power_db(samples: np.ndarray) -> float:
        return 10 * float(np.log10(np.square(samples.astype(float)).mean() + 1e-9))

    settled, last = slice(4 * 16_000, 7 * 16_000), slice(-8_000, None)
    assert power_db(near[settled]) - power_db(kept[settled]) > 20
    assert abs(power_db(kept[last]) - power_db(person)) < 3


def test_blocks_have_one_length():
    pytest.importorskip("livekit.rtc.apm", reason="pip install 'antiphon[echo]'")
    with pytest.raises(ValueError, match="blocks of 320 bytes, not 2 and 320"):
        Aec3().cancel(b"\0\0", bytes(BLOCK_BYTES))
