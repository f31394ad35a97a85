from __future__ import annotations

from antiphon.realtime.agreements import Agreement, Agreements


def test_a_newer_agreement_replaces_the_older_and_a_release_ends_it():
    kept = Agreements()
    kept.apply(Agreement("silence"), released=False)
    kept.apply(None, released=False)
    assert kept.now == Agreement("silence")
    kept.apply(Agreement("signal", ("go",)), released=True)
    assert kept.now == Agreement("signal", ("go",))
    kept.apply(None, released=True)
    assert kept.now is None
