from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from antiphon.envs.sandbox.frames import Answer, Interface, Request
from antiphon.envs.sandbox.service import Service
from tests.envs.desk import DB, TOOLS


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    assert made.answer(Request("read", "tools.py", source=TOOLS)).problem is None
    yield made
    del sys.modules["generated_tools"]


def test_reading_gives_the_interface_of_every_tool(service: Service):
    source = 'def f(db: dict, n: int = 2) -> dict:\n    """Do.\n\n    Args:\n        n: how often\n    """\n    return {}\n'
    schema = {
        "type": "object", "properties": {"n": {"type": "integer", "description": "how often", "default": 2}},
        "required": [], "additionalProperties": False,
    }  # fmt: skip
    assert service.answer(
        Request("read", "tools.py", source=source, behaviour={"f": {"slow": True}})
    ) == Answer(interfaces=(Interface("f", "Do.", schema, False, True, True),))


def test_a_call_answers_with_its_value_and_changes(service: Service):
    asked = Request("call", "tools.py", tool="lend", arguments={"member": "4711", "book": "B1"}, db=DB)
    loan = {"member": "4711", "book": "B1", "weeks": 1}
    assert service.answer(asked) == Answer(
        value={"loan": "L101"},
        changes={"/loans/L101": {"to": loan}, "/log/0": {"to": {"did": "lend", "loan": "L101"}}},
    )


def test_the_document_is_held_and_left_as_it_was(service: Service):
    lend = Request("call", "tools.py", tool="lend", arguments={"member": "4711", "book": "B1"}, db=DB)
    again = Request("call", "tools.py", tool="lend", arguments={"member": "4711", "book": "B1"})
    assert service.answer(lend).value == service.answer(again).value == {"loan": "L101"}


def test_wrong_arguments_are_an_error_for_the_model(service: Service):
    asked = Request("call", "tools.py", tool="find", arguments={"titel": "Emma"}, db=DB)
    assert service.answer(asked) == Answer(value={"error": "the call takes no titel"})


def test_a_failure_inside_is_told_with_its_kind(service: Service):
    asked = Request("call", "tools.py", tool="find", arguments={"title": "Emma"}, db={})
    assert service.answer(asked) == Answer(raised="KeyError: 'books'")
