"""The tools of the cockpit. They do what a car can do; whether it may be done now, and for whom, is in the rules."""

from __future__ import annotations

from math import floor
from typing import Any, Literal

Json = dict[str, Any]
Seat = Literal["driver", "passenger", "rear_left", "rear_right"]
Window = Literal["front_left", "front_right", "rear_left", "rear_right", "sunroof"]

_CHARGED_TO = 80  # percent when a charging stop ends
_CHARGING_MINUTES = 25


def get_status(db: Json) -> Json:
    """What the car is doing now: time, gear, speed, battery, weather, who speaks, seats, windows, locks, route."""
    shown = (
        "current_date", "current_time", "status", "seats", "fan_level", "defrost", "windows", "child_locks",
        "trunks", "driving_mode", "media", "route",
    )  # fmt: skip
    return {name: db[name] for name in shown}


def set_temperature(db: Json, seat: Seat, celsius: float) -> Json:
    """Set the temperature at a seat.

    Args:
        seat: driver, passenger, rear_left or rear_right
        celsius: from 16 to 28, in steps of 0.5
    """
    if not 16 <= celsius <= 28 or celsius * 2 != round(celsius * 2):
        return {"error": f"{celsius} degrees cannot be set; 16 to 28 in steps of 0.5 can"}
    db["seats"][seat]["temperature_c"] = celsius
    return {"seat": seat, "temperature_c": celsius}


def set_fan(db: Json, level: int) -> Json:
    """Set the fan.

    Args:
        level: from 0 (off) to 7
    """
    if not 0 <= level <= 7:
        return {"error": f"no fan level {level}; there are 0 to 7"}
    db["fan_level"] = level
    return {"fan_level": level}


def set_defrost(db: Json, glass: Literal["front", "rear"], on: bool) -> Json:
    """Switch the defrosting of the windscreen (front) or of the rear window on or off.

    Args:
        glass: front or rear
        on: true to switch it on
    """
    db["defrost"][glass] = on
    return {"glass": glass, "on": on}


def set_seat_heating(db: Json, seat: Seat, level: int) -> Json:
    """Set the heating of a seat.

    Args:
        seat: driver, passenger, rear_left or rear_right
        level: from 0 (off) to 3
    """
    if not 0 <= level <= 3:
        return {"error": f"no heating level {level}; there are 0 to 3"}
    db["seats"][seat]["heating"] = level
    return {"seat": seat, "heating": level}


def move_seat(db: Json, seat: Seat, position: Literal["upright", "reclined"]) -> Json:
    """Move the back of a seat.

    Args:
        seat: driver, passenger, rear_left or rear_right
        position: upright or reclined
    """
    db["seats"][seat]["position"] = position
    return {"seat": seat, "position": position}


def set_window(db: Json, window: Window, open_percent: int) -> Json:
    """Open or close a window or the sunroof.

    Args:
        window: front_left, front_right, rear_left, rear_right or sunroof
        open_percent: 0 is closed, 100 is fully open
    """
    if not 0 <= open_percent <= 100:
        return {"error": f"a window cannot be open by {open_percent} percent; 0 to 100 can be set"}
    db["windows"][window] = open_percent
    return {"window": window, "open_percent": open_percent}


def set_child_lock(db: Json, door: Literal["rear_left", "rear_right"], on: bool) -> Json:
    """Switch the child lock of a rear door on or off.

    Args:
        door: rear_left or rear_right
        on: true to lock
    """
    db["child_locks"][door] = on
    return {"door": door, "on": on}


def open_trunk(db: Json, which: Literal["rear", "front"]) -> Json:
    """Open a trunk.

    Args:
        which: rear, or the small one in front
    """
    db["trunks"][which] = "open"
    return {"trunk": which, "state": "open"}


def set_driving_mode(db: Json, mode: Literal["eco", "comfort", "sport"]) -> Json:
    """Set the driving mode.

    Args:
        mode: eco, comfort or sport
    """
    db["driving_mode"] = mode
    return {"driving_mode": mode}


def play_audio(db: Json, title: str) -> Json:
    """Play a radio station, album or podcast.

    Args:
        title: what to play, as the speaker names it
    """
    if not title.strip():
        return {"error": "nothing to play was named"}
    db["media"]["audio"] = title
    return {"audio": title}


def show_video(db: Json, title: str, screen: Literal["front", "rear"]) -> Json:
    """Show a film or series of the car's library on a screen.

    Args:
        title: title in the library
        screen: front (between driver and passenger) or rear (behind the front seats)
    """
    if title not in db["media"]["library"]:
        return {"error": f"no {title!r} in the library; there are: {', '.join(db['media']['library'])}"}
    db["media"][f"{screen}_video"] = title
    return {"screen": screen, "video": title}


def set_volume(db: Json, level: int) -> Json:
    """Set the volume.

    Args:
        level: from 0 to 30
    """
    if not 0 <= level <= 30:
        return {"error": f"no volume {level}; there are 0 to 30"}
    db["media"]["volume"] = level
    return {"volume": level}


def find_contacts(db: Json, name: str) -> Json:
    """Find contacts by part of a name, and those that sound the same, with what sets them apart and their phones.

    Args:
        name: name or part of it
    """
    wanted = name.strip().casefold()
    contacts = db["contacts"].values()
    sounds = {
        each
        for contact in contacts
        if wanted and any(wanted in word.casefold() for word in (contact["name"], *contact["also"]))
        for each in (contact["name"], *contact["also"])
    }
    found = [each for each in contacts if sounds & {each["name"], *each["also"]}]
    return {"contacts": found} if found else {"error": f"no contact {name!r}"}


def place_call(db: Json, contact_id: str, phone: Literal["mobile", "home", "work"]) -> Json:
    """Call a contact. It rings at once.

    Args:
        contact_id: id of the contact, e.g. C01
        phone: which phone: mobile, home or work
    """
    contact = db["contacts"].get(contact_id)
    if contact is None:
        return {"error": f"no contact {contact_id!r}"}
    if phone not in contact["phones"]:
        return {"error": f"{contact['name']} has no {phone} phone; there are: {', '.join(contact['phones'])}"}
    call_id = f"K{len(db['calls']) + 1}"
    db["calls"][call_id] = {"contact_id": contact_id, "phone": phone, "at": db["current_time"]}
    return {"call_id": call_id, "calling": contact["name"], "phone": phone}


def send_arrival(db: Json, contact_id: str) -> Json:
    """Send a contact where the car is going and when it arrives. It cannot be taken back.

    Args:
        contact_id: id of the contact, e.g. C01
    """
    contact = db["contacts"].get(contact_id)
    if contact is None:
        return {"error": f"no contact {contact_id!r}"}
    if db["route"] is None:
        return {"error": "no route is active, so there is no arrival time"}
    message_id = f"M{len(db['messages']) + 1}"
    db["messages"][message_id] = {"contact_id": contact_id, "arrives": db["route"]["arrives"]}
    return {"message_id": message_id, "sent_to": contact["name"], "arrives": db["route"]["arrives"]}


def find_places(db: Json, query: str) -> Json:
    """Find places by part of a name, with street, distance, driving time and closing time.

    Args:
        query: name or part of it
    """
    wanted = query.strip().casefold()
    found = [
        place
        for place in db["places"].values()
        if wanted and any(wanted in each.casefold() for each in (place["name"], *place["also"]))
    ]
    return {"places": found} if found else {"error": f"no place {query!r}"}


def find_chargers(db: Json, place_id: str) -> Json:
    """Charging stations on the way to a place, with free stalls and how old that report is.

    Args:
        place_id: id of the destination, e.g. P01
    """
    if place_id not in db["places"]:
        return {"error": f"no place {place_id!r}"}
    found = [
        {name: charger[name] for name in charger if name != "km_to"}
        for charger in db["chargers"].values()
        if place_id in charger["km_to"]
    ]
    return {"chargers": found}


def plan_route(db: Json, place_id: str, charger_id: str = "") -> Json:
    """Work out a route without starting it: arrival time, and battery on arrival.

    Args:
        place_id: id of the destination, e.g. P01
        charger_id: id of a charging stop on the way, empty for none
    """
    return _planned(db, place_id, charger_id)


def start_route(db: Json, place_id: str, charger_id: str = "") -> Json:
    """Start the guidance to a place. An active route is replaced.

    Args:
        place_id: id of the destination, e.g. P01
        charger_id: id of a charging stop on the way, empty for none
    """
    planned = _planned(db, place_id, charger_id)
    if "error" not in planned:
        db["route"] = planned
    return planned


def cancel_route(db: Json) -> Json:
    """End the guidance."""
    if db["route"] is None:
        return {"error": "no route is active"}
    db["route"] = None
    return {"route": None}


def list_profiles(db: Json) -> Json:
    """The driver profiles that the car keeps, and which is in use."""
    return {"profiles": list(db["profiles"].values())}


def delete_profile(db: Json, profile_id: str) -> Json:
    """Delete a driver profile with its settings and places. It cannot be undone.

    Args:
        profile_id: id of the profile, e.g. D1
    """
    if profile_id not in db["profiles"]:
        return {"error": f"no profile {profile_id!r}"}
    name = db["profiles"].pop(profile_id)["name"]
    return {"deleted": name}


def _planned(db: Json, place_id: str, charger_id: str) -> Json:
    place = db["places"].get(place_id)
    if place is None:
        return {"error": f"no place {place_id!r}"}
    status = db["status"]
    percent_per_km = status["battery_percent"] / status["range_km"]
    if not charger_id:
        left = status["battery_percent"] - place["distance_km"] * percent_per_km
        minutes = place["minutes"]
    else:
        charger = db["chargers"].get(charger_id)
        if charger is None or place_id not in charger["km_to"]:
            return {"error": f"no charging station {charger_id!r} on the way to {place['name']}"}
        left = _CHARGED_TO - charger["km_to"][place_id] * percent_per_km
        minutes = place["minutes"] + _CHARGING_MINUTES
    return {
        "place_id": place_id,
        "name": place["name"],
        "charger_id": charger_id,
        "arrives": _later(db["current_time"], minutes),
        "battery_on_arrival": max(floor(left + 1e-9), 0),
    }


def _later(clock: str, minutes: int) -> str:
    hour, minute = clock.split(":")
    total = int(hour) * 60 + int(minute) + minutes
    return f"{total // 60 % 24:02d}:{total % 60:02d}"
