from antiphon.realtime.live.arrivals import Arrivals


def test_late_packets_do_not_move_the_clock_early_ones_and_gaps_do():
    sound = Arrivals()
    assert sound.at_us(0) == 0
    sound.add(640, 120_000)
    assert (sound.at_us(0), sound.at_us(640)) == (100_000, 120_000)
    sound.add(640, 240_000)  # 100 ms late
    assert sound.at_us(1280) == 140_000
    sound.add(640, 150_000)  # earlier than the first ones
    assert sound.at_us(1920) == 150_000
    sound.add(640, 1_170_000)  # after a second without sound
    assert sound.at_us(2560) == 1_170_000
