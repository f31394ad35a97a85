from __future__ import annotations

from antiphon.realtime.sets.multi_party import multi_party


def test_every_session_has_seven_points_each_on_a_line_of_its_own():
    for number in range(20):
        made = multi_party(number, 0)
        lines = [line.id for line in made.session.lines]
        assert [point.line for point in made.points] == lines
        assert len(lines) == 7


def test_both_languages_and_a_visitor_are_in_it():
    made = [multi_party(number, 0) for number in range(20)]
    assert {each.session.language for each in made} == {"en", "zh"}
    assert all(any(not line.enrolled for line in each.session.lines) for each in made)
