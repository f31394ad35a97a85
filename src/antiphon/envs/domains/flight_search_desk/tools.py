"""The tools of the flight search desk. They check what exists; keeping the rules is the agent's part."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Literal

Json = dict[str, Any]
FareClass = Literal["saver", "standard", "flex"]
TripType = Literal["one_way", "round_trip"]

_LONGEST_GRID = 14  # days
_HOLD_DAYS = 3


def find_airport(db: Json, query: str) -> Json:
    """Look up airports by city, name or code, in English or Chinese.

    Args:
        query: city, airport name or code, e.g. Tokyo, Haneda, 浦东, SFO
    """
    wanted = query.strip().casefold()
    found = [
        airport
        for airport in db["airports"].values()
        if wanted and any(wanted in name.casefold() for name in (airport["code"], *airport["names"]))
    ]
    return {"airports": found} if found else {"error": f"no airport matches {query!r}"}


def search_flights(
    db: Json, origin: str, dest: str, depart_date: str, trip_type: TripType, return_date: str = ""
) -> Json:
    """Search flights with fares and seats left. A round trip also gives the flights back.

    Args:
        origin: airport code of departure, e.g. SFO
        dest: airport code of arrival, e.g. NRT
        depart_date: date of departure, YYYY-MM-DD
        trip_type: one_way or round_trip
        return_date: date of the flight back, YYYY-MM-DD; needed for a round trip, empty otherwise
    """
    if (problem := _airport_problem(db, origin, dest) or _date_problem(db, depart_date)) is not None:
        return {"error": problem}
    outbound = _flights(db, origin, dest, depart_date)
    if trip_type == "one_way":
        return {"flights": outbound}
    if (problem := _date_problem(db, return_date)) is not None:
        return {"error": f"flight back: {problem}"}
    if return_date < depart_date:
        return {"error": f"the return date {return_date} is before the departure on {depart_date}"}
    return {"flights": outbound, "return_flights": _flights(db, dest, origin, return_date)}


def price_grid(
    db: Json, origin: str, dest: str, first_date: str, last_date: str, fare_class: FareClass
) -> Json:
    """The lowest fare of a class for each day of a range, where a seat is left.

    Args:
        origin: airport code of departure
        dest: airport code of arrival
        first_date: first day, YYYY-MM-DD
        last_date: last day, YYYY-MM-DD; at most 14 days later
        fare_class: saver, standard or flex
    """
    problem = (
        _airport_problem(db, origin, dest) or _date_problem(db, first_date) or _date_problem(db, last_date)
    )
    if problem is not None:
        return {"error": problem}
    days = (date.fromisoformat(last_date) - date.fromisoformat(first_date)).days
    if not 0 <= days <= _LONGEST_GRID:
        return {"error": f"the range is {days} days; it may be 0 to {_LONGEST_GRID}"}
    grid: dict[str, float | None] = {}
    for number in range(days + 1):
        day = _add_days(first_date, number)
        fares = [
            flight["fares"][fare_class]
            for flight in _flights(db, origin, dest, day)
            if flight["seats_left"][fare_class] > 0
        ]
        grid[day] = min(fares, default=None)
    return {"fare_class": fare_class, "lowest_fare": grid}


def list_holds(db: Json, phone: str) -> Json:
    """All fare holds of an account, past ones included, with status and dates as stored.

    Args:
        phone: phone number registered on the account, digits only
    """
    user = _user(db, phone)
    if user is None:
        return {"error": f"no account with phone {phone!r}"}
    holds = db["holds"].items()
    return {"holds": [{"hold_ref": ref, **hold} for ref, hold in holds if hold["user_id"] == user["user_id"]]}


def place_hold(db: Json, phone: str, flight_no: str, depart_date: str, fare_class: FareClass) -> Json:
    """Place a fare hold: locks today's fare of one flight for 72 hours. Gives the new hold reference.

    Args:
        phone: phone number registered on the account, digits only
        flight_no: flight number, e.g. SK2859
        depart_date: date of the flight, YYYY-MM-DD
        fare_class: fare to hold: saver, standard or flex
    """
    user = _user(db, phone)
    if user is None:
        return {"error": f"no account with phone {phone!r}"}
    flight = db["flights"].get(f"{flight_no}@{depart_date}")
    if flight is None:
        return {"error": f"no flight {flight_no} on {depart_date}"}
    if flight["seats_left"][fare_class] < 1:
        return {"error": f"no {fare_class} seat is left on {flight_no} on {depart_date}"}
    created = db["current_date"]
    hold = {
        "user_id": user["user_id"],
        "flight_no": flight_no,
        "date": depart_date,
        "origin": flight["origin"],
        "dest": flight["dest"],
        "fare_class": fare_class,
        "amount": flight["fares"][fare_class],
        "status": "active",
        "created_date": created,
        "expiry_date": _add_days(created, _HOLD_DAYS),
    }
    ref = _next_hold_ref(db)
    db["holds"][ref] = hold
    kept = ("status", "amount", "created_date", "expiry_date")
    return {"hold_ref": ref, **{name: hold[name] for name in kept}}


def release_hold(db: Json, phone: str, hold_ref: str) -> Json:
    """Release a fare hold. It cannot be undone.

    Args:
        phone: phone number registered on the account, digits only
        hold_ref: hold reference, e.g. HD482901
    """
    user = _user(db, phone)
    if user is None:
        return {"error": f"no account with phone {phone!r}"}
    hold = db["holds"].get(hold_ref)
    if hold is None or hold["user_id"] != user["user_id"]:
        return {"error": f"this account has no hold {hold_ref!r}"}
    if hold["status"] != "active":
        return {"error": f"hold {hold_ref} is {hold['status']} already"}
    hold["status"] = "released"
    return {"hold_ref": hold_ref, "status": "released"}


def _user(db: Json, phone: str) -> Json | None:
    return next((user for user in db["users"].values() if user["phone"] == phone), None)


def _flights(db: Json, origin: str, dest: str, day: str) -> list[Json]:
    flights = db["flights"]
    of_day = [flights[key] for key in flights if key.endswith(f"@{day}")]
    return [flight for flight in of_day if (flight["origin"], flight["dest"]) == (origin, dest)]


def _airport_problem(db: Json, *codes: str) -> str | None:
    for code in codes:
        if code not in db["airports"]:
            return f"no airport {code!r}; there are: {', '.join(db['airports'])}"
    return None


def _date_problem(db: Json, day: str) -> str | None:
    try:
        date.fromisoformat(day)
    except ValueError:
        return f"{day!r} is no date as YYYY-MM-DD"
    return f"{day} has passed; today is {db['current_date']}" if day < db["current_date"] else None


def _add_days(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _next_hold_ref(db: Json) -> str:
    return f"HD{max((int(ref[2:]) for ref in db['holds']), default=482900) + 1}"
