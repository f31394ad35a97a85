"""What the people in the car do with their own hands."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def park_the_car(db: Json) -> Json:
    """Stop at the side and put the gear in P."""
    if db["status"]["gear"] == "P":
        return {"error": "the car is parked already"}
    db["status"]["gear"] = "P"
    db["status"]["speed_kmh"] = 0
    return {"gear": "P"}


def unplug_the_cable(db: Json) -> Json:
    """Get out and unplug the charging cable."""
    if db["status"]["gear"] != "P" or not db["status"]["cable_plugged_in"]:
        return {"error": "no cable is plugged in"}
    db["status"]["cable_plugged_in"] = False
    return {"cable_plugged_in": False}


def press_confirm(db: Json) -> Json:
    """Press Confirm on the screen, as the car asks for before something that cannot be undone."""
    db["status"]["confirm_pressed"] = True
    return {"confirm_pressed": True}
