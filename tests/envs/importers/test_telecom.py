from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.execute import execute
from antiphon.envs.importers import tau2
from antiphon.envs.importers.telecom import Telecom, open_telecom
from antiphon.envs.tools import Tool
from antiphon.errors import ConfigError
from antiphon.messages import ToolSpec


class Db:
    """A database as pydantic would have it."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    @classmethod
    def model_validate(cls, fields: dict[str, Any]) -> Db:
        return cls(**fields)

    @classmethod
    def model_construct(cls) -> Db:
        return cls()

    def model_dump(self, mode: str) -> dict[str, Any]:
        assert mode == "json"
        return dict(self.fields)


class Shown:
    def __init__(self, name: str, parameters: dict[str, Any]) -> None:
        self.openai_schema = {"function": {"name": name, "description": f"{name}.", "parameters": parameters}}


class Ids:
    def __init__(self) -> None:
        self.id_counter: dict[str, int] = {}


class AgentTools:
    def __init__(self, db: Db) -> None:
        self.db = db
        self.id_generator = Ids()

    def get_tools(self) -> dict[str, Shown]:
        mode = {"$ref": "#/$defs/Mode"}
        schema = {"$defs": {"Mode": {"enum": ["on", "off"], "type": "string"}}, "properties": {"mode": mode}}
        return {"roam": Shown("roam", schema | {"required": ["mode"]})}

    def roam(self, mode: str, times: int = 1) -> Db:
        self.db.fields["roaming"] = mode
        count = self.id_generator.id_counter.get("bill", 0) + times
        self.id_generator.id_counter["bill"] = count
        if mode == "off":
            raise ValueError("Line is locked")
        return Db(bill=f"bill_{count}")


class UserTools:
    def __init__(self, db: Db) -> None:
        self.db = db

    def seat(self, card: str) -> str:
        self.db.fields["card"] = card
        return "seated"

    def is_online(self, speed: str) -> bool:
        return self.db.fields["online"] == speed


class Environment:
    @staticmethod
    def sync_tools(sides: Any) -> None:
        sides.user_tools.db.fields["online"] = sides.tools.db.fields["roaming"]


DESK = Telecom(AgentTools, UserTools, Db, Db, Environment)
DB: dict[str, Any] = {
    "current_date": "2025-02-25",
    "agent": {"roaming": "no"},
    "user": {"card": "out", "online": "no"},
    "_ids": {},
}


def play(name: str, db: dict[str, Any], **arguments: Any) -> Any:
    def function(db: dict[str, Any], **given: Any) -> Any:
        return DESK.call("agent", name, db, **given)

    return execute({name: Tool(ToolSpec(name, name, {}), function, dict)}, db, name, arguments, ("/_ids",))


def test_a_call_changes_both_sides_of_the_document_and_keeps_count_of_ids():
    first = play("roam", DB, mode="on", times=None)
    assert first.value == {"bill": "bill_1"}
    assert first.changes == {
        "/agent/roaming": {"from": "no", "to": "on"},
        "/user/online": {"from": "no", "to": "on"},
        "/_ids/bill": {"to": 1},
    }
    assert play("roam", first.db, mode="on").value == {"bill": "bill_2"}


def test_a_call_that_writes_and_raises_changes_nothing():
    done = play("roam", DB, mode="off")
    assert (done.error, done.defect, done.db is DB) == ("Line is locked", None, True)


def test_a_task_begins_after_its_initialisation():
    actions = [
        {"env_type": "user", "func_name": "seat", "arguments": {"card": "in"}},
        {"env_type": "assistant", "func_name": "roam", "arguments": {"mode": "on"}},
    ]
    begun = DESK.initial(DB["agent"], DB["user"], actions)
    assert begun == {"agent": {"roaming": "on"}, "user": {"card": "in", "online": "on"}, "_ids": {"bill": 1}}
    holds = {"env_type": "user", "func_name": "is_online", "arguments": {"speed": "on"}, "assert_value": True}
    assert DESK.holds(begun, holds)
    assert not DESK.holds(begun, holds | {"assert_value": False})
    assert not DESK.holds(DB, holds)


def test_the_written_interface_has_the_choices_that_tau2_refers_to(tmp_path: Path):
    source = DESK.source("agent", tmp_path)
    assert "    mode: Literal['on', 'off'],\n" in source
    assert "    return _theirs.call('agent', 'roam', db, mode=mode)\n" in source


def test_what_is_no_checkout_is_refused(tmp_path: Path):
    pytest.importorskip("loguru")
    with pytest.raises(ConfigError, match="is no such checkout"):
        open_telecom(tmp_path)


def test_the_references_of_114_telecom_tasks_reach_what_their_assertions_ask_for(data: Path, tmp_path: Path):
    if "ANTIPHON_TAU2" not in os.environ:
        pytest.skip("telecom's tools are in tau2's repository; set ANTIPHON_TAU2 to a checkout")
    checkout = Path(os.environ["ANTIPHON_TAU2"])
    (found,) = tau2.import_tau2(data / "tau2", tmp_path, ["telecom"], checkout)
    assert (found.outcomes, found.missed, found.failing) == ({"unlabelled": 20, "write": 94}, {}, {})
