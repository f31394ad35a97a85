"""What playing and scoring costs without a model: flight_search_desk, each reference recited and judged.

    python benchmarks/envs.py [--seconds 3] [--json]

`scripted_episodes_per_s`: on one core, from the initial state to the verdict.
`rollout_episodes_per_s`: the same through the rollout itself: the scripted reference agent and the scripted partner talk,
turn by turn, as any model would.
`kb_per_episode`: held by each of 500 episodes at once that have played their reference, the database aside;
`kb_per_episode_large` the same on the large database below.
`scaling_2_workers`: rollouts per second of two processes over one, by the wall clock, each the best of three tries;
on a machine that is busy with something else (`load_average_before`) it measures that instead.
`times_faster_than_reparse_and_hash`: the same tasks on a database of the size of tau2's airline (9,000 flights,
500 users, 2,000 holds), against parsing the database anew for each task, the same reference calls on plain dicts,
and hashing the whole result. tau2 does this twice a task, for the gold state too; here the baseline does it once.
Exits with 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from datetime import date, timedelta
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from antiphon.clock import RealClock
from antiphon.envs.casting import Cast, Casting
from antiphon.envs.contract import contract_of
from antiphon.envs.domain import open_domain
from antiphon.envs.episode import Episode
from antiphon.envs.recital import recite
from antiphon.envs.rollout import RolloutSettings, roll_out
from antiphon.envs.verdict import check, decide

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.envs.contract import Contract
    from antiphon.envs.domain import Domain

DOMAIN = "flight_search_desk"
LIMITS = {
    "scripted_episodes_per_s": (1000.0, None),
    "rollout_episodes_per_s": (1000.0, None),
    "kb_per_episode": (None, 1024.0),
    "kb_per_episode_large": (None, 1024.0),
    "scaling_2_workers": (1.7, None),
    "times_faster_than_reparse_and_hash": (20.0, None),
}
FLIGHT_NUMBERS, DAYS, USERS, HOLDS, EPISODES = 300, 30, 500, 2000, 500


def play(domain: Domain, contract: Contract) -> None:
    """One episode, with its verdict."""
    trace = recite(Episode(domain, contract.task, RealClock()))
    if decide(check(contract, trace)).passed is not True:
        raise SystemExit(f"{contract.task.task_id}: the recital does not pass; antiphon envs check {DOMAIN}")


def contracts(domain: Domain) -> list[Contract]:
    return [contract_of(domain, task) for task in domain.tasks]


class Table:
    """Everybody who plays, opened once, as a worker of a run does."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.contracts = contracts(domain)
        self.cast = Cast(Casting(), domain)

    def recite(self) -> None:
        """Every task once."""
        for contract in self.contracts:
            play(self.domain, contract)

    def roll(self) -> None:
        """Every task once, as a rollout."""
        asyncio.run(self._roll())

    async def _roll(self) -> None:
        for contract in self.contracts:
            task = contract.task
            trace = await roll_out(
                self.domain, task, self.cast.system(task), self.cast.partner(task, 0), RolloutSettings(),
                seed=0, trial=0, clock=self.cast.clock(),
            )  # fmt: skip
            if decide(check(contract, trace)).passed is not True:
                raise SystemExit(f"{task.task_id}: the reference does not pass; antiphon envs run {DOMAIN}")


def rate(once: Callable[[], None], episodes: int, seconds: float) -> float:
    """Episodes per second of processor time, whole rounds over all tasks; the best of three parts."""
    best = 0.0
    for _ in range(3):
        count, began = 0, process_time()
        while process_time() - began < seconds / 3:
            once()
            count += episodes
        best = max(best, count / (process_time() - began))
    return best


def kilobytes(domain: Domain) -> float:
    """Memory that one episode holds, on average, with its trace and one snapshot."""
    tasks = domain.tasks
    recite(Episode(domain, tasks[0], RealClock()))
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    held: list[Any] = []
    for number in range(EPISODES):
        episode = Episode(domain, tasks[number % len(tasks)], RealClock())
        recite(episode)
        held.append((episode, episode.snapshot()))
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / len(held) / 1024


def scaling(seconds: float) -> float:
    """Throughput of two processes at once over that of one; each side is the best of three tries."""

    def episodes_per_s(workers: int) -> float:
        command = [sys.executable, __file__, "--part", "--seconds", str(seconds)]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(workers)]
        return sum(float(process.communicate()[0]) for process in running)

    rounds = [(episodes_per_s(1), episodes_per_s(2)) for _ in range(3)]
    return round(max(two for _, two in rounds) / max(one for one, _ in rounds), 2)


def part(seconds: float) -> float:
    """One worker: episodes per second by the wall clock."""
    table = Table(open_domain(DOMAIN))
    count, began = 0, perf_counter()
    while perf_counter() - began < seconds:
        table.roll()
        count += len(table.contracts)
    return count / (perf_counter() - began)


def large(domain: Domain) -> Domain:
    """The domain on databases of the size of tau2's airline; what is added touches no task."""
    first = date(2026, 8, 13)
    flights: dict[str, Any] = {}
    sample = next(iter(domain.dbs["main.json"]["flights"].values()))
    for number in range(FLIGHT_NUMBERS):
        for day in range(DAYS):
            on = (first + timedelta(days=day)).isoformat()
            name = f"XX{number:04}"
            flights[f"{name}@{on}"] = json.loads(json.dumps(sample)) | {
                "flight_no": name, "date": on, "origin": f"A{number % 20:02}", "dest": f"B{number % 20:02}",
            }  # fmt: skip
    users = {
        f"U8{at:04}": {"user_id": f"U8{at:04}", "name": f"Name {at}", "phone": f"8{at:09}"}
        for at in range(USERS)
    }
    hold = domain.dbs["main.json"]["holds"]["HD482901"]
    holds = {f"HD{480000 + at}": hold | {"user_id": f"U8{at % USERS:04}"} for at in range(HOLDS)}
    dbs = {
        name: db
        | {"flights": db["flights"] | flights, "users": db["users"] | users, "holds": holds | db["holds"]}
        for name, db in domain.dbs.items()
    }
    return replace(domain, dbs=dbs)


def reparse_and_hash(domain: Domain, texts: dict[str, str], contract: Contract) -> str:
    """One task as tau2 plays and compares it: a database parsed anew, the calls, a hash of everything."""
    task = contract.task
    assert isinstance(task.db, str)
    db = json.loads(texts[task.db.removeprefix("@dbs/")])
    for step in task.reference_tool_calls:
        tool = domain.tools[step.tool]
        tool.function(db, **tool.bind(step.arguments))
    return hashlib.sha256(json.dumps(db, sort_keys=True).encode()).hexdigest()


def side_by_side(domain: Domain) -> dict[str, float]:
    """Seconds a task on the large databases: ours with verdict and trace, and the baseline. The best of 2 rounds."""
    texts = {name: json.dumps(db) for name, db in domain.dbs.items()}
    ready = contracts(domain)
    ours, theirs = [], []
    for _ in range(2):
        began = process_time()
        for contract in ready:
            play(domain, contract)
        ours.append((process_time() - began) / len(ready))
        began = process_time()
        for contract in ready:
            reparse_and_hash(domain, texts, contract)
        theirs.append((process_time() - began) / len(ready))
    return {
        "large_database_mb": round(max(map(len, texts.values())) / 1e6, 1),
        "ms_per_task": round(min(ours) * 1e3, 3),
        "ms_per_task_reparse_and_hash": round(min(theirs) * 1e3, 3),
        "times_faster_than_reparse_and_hash": round(min(theirs) / min(ours), 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each part plays")
    parser.add_argument("--json", action="store_true", help="print one JSON object last")
    parser.add_argument("--part", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(part(options.seconds))
        return 0
    domain = open_domain(DOMAIN)
    table = Table(domain)
    big = large(domain)
    found: dict[str, Any] = {
        "domain": DOMAIN,
        "tasks": len(domain.tasks),
        "agent": "scripted:recital, scripted:reference",
        "load_average_before": round(os.getloadavg()[0], 2),
        "scaling_2_workers": scaling(options.seconds),
        "scripted_episodes_per_s": round(rate(table.recite, len(domain.tasks), options.seconds)),
        "rollout_episodes_per_s": round(rate(table.roll, len(domain.tasks), options.seconds)),
        "kb_per_episode": round(kilobytes(domain), 1),
        **side_by_side(big),
        "kb_per_episode_large": round(kilobytes(big), 1),
    }
    for name, value in found.items():
        print(f"{name:<40}{value}")
    missed = [
        name
        for name, (least, most) in LIMITS.items()
        if (least is not None and found[name] < least) or (most is not None and found[name] > most)
    ]
    print(f"missed: {', '.join(missed)}" if missed else "all within limits")
    if options.json:
        print(json.dumps(found))
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())
