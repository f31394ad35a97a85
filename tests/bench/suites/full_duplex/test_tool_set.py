from __future__ import annotations

from antiphon.bench.suites.full_duplex.tool_set import known, tools
from antiphon.messages import ToolSpec


def test_the_twelve_tools_are_specs_with_results():
    specs, results = tools([])
    assert len(specs) == 12
    assert set(results) == {spec["name"] for spec in specs} == set(known())
    assert all(ToolSpec(**spec).parameters["type"] == "object" for spec in specs)


def test_an_optional_argument_is_not_required():
    commute = next(spec for spec in tools([])[0] if spec["name"] == "calculate_commute")
    assert commute["parameters"]["required"] == ["origin_address", "destination_address"]
    assert "mode" in commute["parameters"]["properties"]
