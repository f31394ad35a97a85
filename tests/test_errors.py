from __future__ import annotations

from pathlib import Path

import pytest

from antiphon import errors
from antiphon.errors import (
    AntiphonError,
    ConfigError,
    DataError,
    DomainError,
    LedgerError,
    ModelError,
    UnavailableError,
    unknown,
)


def test_the_tree_is_the_one_that_the_module_draws():
    drawn = {line.split("── ")[1].split()[0] for line in (errors.__doc__ or "").splitlines() if "── " in line}
    defined = {name for name, value in vars(errors).items() if isinstance(value, type)} - {"AntiphonError"}
    assert drawn == defined
    assert [kind.__mro__[1] for kind in (ConfigError, UnavailableError, DataError, ModelError)] == [
        AntiphonError, ConfigError, AntiphonError, AntiphonError,
    ]  # fmt: skip
    assert (DomainError.__mro__[1], LedgerError.__mro__[1]) == (AntiphonError, AntiphonError)


def test_a_missing_thing_names_the_command_that_brings_it():
    error = UnavailableError("faster-whisper is not installed", "pip install 'antiphon[local]'")
    assert str(error) == "faster-whisper is not installed; pip install 'antiphon[local]'"
    assert (error.what, error.remedy) == (
        "faster-whisper is not installed", "pip install 'antiphon[local]'",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "field", "message"),
    [
        (None, None, "a.jsonl: not JSON"),
        (7, None, "a.jsonl:7: not JSON"),
        (7, "value", "a.jsonl:7 value: not JSON"),
        (None, "value", "a.jsonl value: not JSON"),
    ],
)
def test_bad_data_is_placed_by_file_line_and_field(line: int | None, field: str | None, message: str):
    error = DataError(Path("a.jsonl"), "not JSON", line=line, field=field)
    assert (str(error), error.path, error.line, error.field) == (message, "a.jsonl", line, field)


def test_a_model_error_says_which_endpoint_and_whether_to_try_again():
    error = ModelError("openai:gpt", "429 Too Many Requests", transient=True, retry_after_us=2_000_000)
    assert str(error) == "openai:gpt: 429 Too Many Requests"
    assert (error.endpoint, error.problem) == ("openai:gpt", "429 Too Many Requests")
    assert (error.transient, error.retry_after_us) == (True, 2_000_000)


def test_a_model_error_is_permanent_unless_it_says_otherwise():
    error = ModelError("openai:gpt", "401 Unauthorized")
    assert (error.transient, error.retry_after_us) == (False, None)


def test_an_unknown_name_lists_the_choices_in_order_and_the_next_step():
    error = unknown("subset", "reasonning", {"reasoning", "knowledge"}, "see `antiphon run --help`")
    assert type(error) is ConfigError
    assert str(error) == "no subset 'reasonning'; there are: knowledge, reasoning; see `antiphon run --help`"


def test_an_unknown_name_among_no_choices_says_that_there_are_none():
    assert str(unknown("suite", "x", [])) == "no suite 'x'; there are: none"
