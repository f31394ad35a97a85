"""Which fields an event must have: our types of both protocols against those of the installed `openai` package.

That every event and field of ours is one of theirs is tested beside the types (`ga/test_shapes.py`,
`test_live.py`); that what the server writes is valid by their types, in `tests/realtime/test_valid_events.py`.
"""

from __future__ import annotations

import inspect
from typing import Any, get_args

import msgspec
import pytest

from antiphon.models.wire import live
from antiphon.models.wire.ga import codec

realtime = pytest.importorskip("openai.types.realtime", reason="pip install openai")
theirs_live = pytest.importorskip("openai.types.live", reason="pip install openai")
pydantic = pytest.importorskip("pydantic")
extensions = pytest.importorskip("typing_extensions")

# What we read without although their servers always write it, and why.
_PLACE = "DashScope's and older servers leave out some of an event's place in its response"
LENIENT = {
    "realtime server": {
        **dict.fromkeys(("response_id", "item_id", "output_index", "content_index", "call_id"), _PLACE),
        **dict.fromkeys(("text", "transcript", "name"), "what ends a series may leave the repetition to its pieces"),
        **dict.fromkeys(("id", "speaker", "start", "end"), "segments of a diarising recogniser: nothing here reads them"),
        "usage": "of a transcription: only OpenAI bills it",
        "event_id": "nothing here refers to a server's event",
    },
    "realtime client": {},
    "live client": {"delegation_id": "null and absent mean the same"},
    "live server": {"event_id": "nothing here refers to a server's event"},
}  # fmt: skip
SIDES = {
    "realtime client": (codec.CLIENT, realtime.RealtimeClientEvent, realtime.RealtimeClientEventParam),
    "realtime server": (codec.SERVER, realtime.RealtimeServerEvent, None),
    "live client": (live.CLIENT, theirs_live.ClientEvent, theirs_live.ClientEventParam),
    "live server": (live.SERVER, theirs_live.ServerEvent, None),
}


def _kinds(union: Any) -> list[Any]:
    """The classes of a union of models, or of typed dictionaries."""
    if extensions.is_typeddict(union) or inspect.isclass(union):
        return [union] if extensions.is_typeddict(union) or issubclass(union, pydantic.BaseModel) else []
    return [kind for argument in get_args(union) for kind in _kinds(argument)]


def _name(kind: Any) -> str:
    of_type = (
        extensions.get_type_hints(kind)["type"]
        if extensions.is_typeddict(kind)
        else kind.model_fields["type"].annotation
    )
    return get_args(of_type)[0]


def _required(kind: Any) -> set[str]:
    if extensions.is_typeddict(kind):
        hints = extensions.get_type_hints(kind, include_extras=True)
        return {
            name for name, hint in hints.items() if extensions.get_origin(hint) is extensions.Required
        } - {"type"}
    return {name for name, info in kind.model_fields.items() if info.is_required()} - {"type"}


def differences(side: str) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """By event: the fields that we require and they do not, and the fields that they require and we do not."""
    ours, models, params = SIDES[side]
    theirs = {_name(kind): _required(kind) for kind in _kinds(models)}
    for kind in _kinds(params) if params is not None else []:  # how the client's own methods are typed
        theirs[_name(kind)] |= _required(kind)
    stricter, laxer = dict[str, set[str]](), dict[str, set[str]]()
    for name, kind in ours.items():
        mine = {field.name for field in msgspec.structs.fields(kind) if field.required}
        stricter[name], laxer[name] = mine - theirs[name], theirs[name] - mine
    return stricter, laxer


@pytest.mark.parametrize("side", SIDES)
def test_no_event_needs_a_field_here_that_it_does_not_need_there(side):
    stricter, _ = differences(side)
    assert {name: fields for name, fields in stricter.items() if fields} == {}


@pytest.mark.parametrize("side", SIDES)
def test_what_is_read_without_a_field_that_they_require_is_listed_with_its_reason(side):
    _, laxer = differences(side)
    assert {field for fields in laxer.values() for field in fields} == set(LENIENT[side])


def test_the_comparison_sees_a_field_that_is_needed_on_one_side_only(monkeypatch):
    class Needy(live.Event, frozen=True, kw_only=True, tag="session.close"):
        why: str

    monkeypatch.setitem(SIDES, "live client", ({"session.close": Needy}, *SIDES["live client"][1:]))
    assert differences("live client")[0] == {"session.close": {"why"}}
