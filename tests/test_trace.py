from __future__ import annotations

import pytest

from antiphon.errors import DataError
from antiphon.jsonl import from_row, to_row
from antiphon.trace import Step, Trace

TRACE = Trace(
    task="flight-17",
    trial=2,
    seed=5,
    system="cascade:",
    partner="scripted:p.jsonl",
    steps=(
        Step(0, "user", "改签到周五", clip="ab12"),
        Step(
            900_000,
            "assistant",
            call={"id": "c1", "name": "change", "arguments": {"day": "Friday"}},
            result={"value": {"ok": True}},
            changes={"/bookings/17/day": {"from": "Monday", "to": "Friday"}, "/bookings/17/fee": {"from": 3}},
            defect="raised KeyError",
        ),
    ),
    stop="partner_hung_up",
    versions={"domain": "1"},
    domain="flights",
    meta={"machine": "m"},
)


def test_a_trace_survives_its_row():
    assert from_row(to_row(TRACE), Trace) == TRACE


def test_version_1_kept_only_the_new_value_of_a_change():
    row = to_row(TRACE) | {"v": 1, "steps": [{"t_us": 0, "role": "assistant", "changes": {"a.b": 1}}]}
    assert from_row(row, Trace).steps == (Step(0, "assistant", changes={"a.b": {"to": 1}}),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stop": "bored"}, r"Invalid enum value 'bored' - at `\$\.stop`"),
        ({"trial": "2"}, r"Expected `int`, got `str` - at `\$\.trial`"),
        ({"steps": [{"t_us": 0}]}, r"missing required field `role` - at `\$\.steps\[0\]`"),
    ],
)
def test_a_row_that_is_no_trace_names_the_field(change: dict[str, object], message: str):
    with pytest.raises(DataError, match=message):
        from_row(to_row(TRACE) | change, Trace)
