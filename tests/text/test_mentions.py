from __future__ import annotations

import pytest

from antiphon.text.mentions import contains, fold


@pytest.mark.parametrize(
    ("text", "form", "there"),
    [
        ("That is $1,980.00 in all", "1980", True),
        ("That is 1980.5", "1980", False),
        ("costs 990.0 dollars", "990", True),
        ("costs 990.", "990", True),
        ("costs 1990", "990", False),
        ("flight SK2859", "sk2859", True),
        ("flight SK28591", "SK2859", False),
        ("call 415 555-1234 now", "4155551234", True),
        ("on August 20 2859 leaves", "2859", True),
        ("August 20th", "August 20", False),
        ("航班ＳＫ１３０６，8月18日", "SK1306", True),
        ("到期日是8月15日。", "8月15日", True),
        ("the flexible one", "flex", False),
        ("No, one loan is the limit!", "one loan", True),
    ],
)
def test_a_form_is_found_as_words_of_its_own(text: str, form: str, there: bool):
    assert contains(fold(text), form) is there
