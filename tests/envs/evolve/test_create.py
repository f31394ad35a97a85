from __future__ import annotations

import json
import shutil
from pathlib import Path

from antiphon.envs.domain import open_domain
from antiphon.envs.evolve.code_agent import Effort
from antiphon.envs.evolve.create import Asking, Creation, ask, create
from antiphon.envs.execute import execute
from antiphon.envs.importers.mcp import McpServer
from tests.envs.desk import DB, write
from tests.envs.evolve.test_code_agent import ASK, BUY, GOOD
from tests.envs.evolve.worlds import files_reply, script_of

SEEDS = (McpServer("Good One", "", ()), McpServer("Bad One", "", ()))


def creation(folder: Path) -> Creation:
    uri = script_of(
        folder / "agent.jsonl",
        {"match": "Good One", "text": files_reply(GOOD)},
        {"match": "*", "text": "I cannot do that."},
    )
    return Creation(SEEDS, uri, folder / "out", Effort(rounds=1, tasks=4))


async def test_accepted_domains_become_folders_and_rejected_ones_a_reason(tmp_path: Path):
    made, failures = await create(creation(tmp_path))
    assert failures == []
    assert [(each.name, each.accepted, each.by[:9]) for each in made] == [
        ("good_one", True, "scripted:"), ("bad_one", False, "scripted:"),
    ]  # fmt: skip
    assert made[1].defects == ("the first line must be '=== NAME' of a file, and is 'I cannot do that.'",)
    assert not (tmp_path / "out" / "bad_one").exists()


async def test_a_generated_domain_is_opened_in_the_sandbox(tmp_path: Path):
    await create(creation(tmp_path))
    folder = tmp_path / "out" / "good_one"
    domain = open_domain(str(folder))
    assert execute(domain.tools, DB, "find", {"title": "Emma"}).value == {"books": {"B1": {"title": "Emma"}}}
    tools = folder / "tools.py"
    tools.write_text(tools.read_text("utf-8").replace("del db[", "open('/etc/passwd'); del db["), "utf-8")
    done = execute(open_domain(str(folder)).tools, DB, "give_back", {"loan": "L9"})
    assert done.defect == "raised SandboxError: PermissionError: open is not allowed in the sandbox"


async def test_what_is_made_is_not_made_again(tmp_path: Path):
    first = await create(creation(tmp_path))
    shutil.rmtree(tmp_path / "out" / "good_one")
    assert await create(creation(tmp_path)) == first
    assert not (tmp_path / "out" / "good_one").exists()  # nobody asked the agent again


async def test_batches_of_tasks_are_kept(tmp_path: Path):
    home = write(tmp_path)
    uri = script_of(
        tmp_path / "agent.jsonl",
        {"match": "*", "text": files_reply({"tasks/new.json": json.dumps([BUY, ASK])})},
    )
    asking = Asking(str(home), uri, tmp_path / "out", batches=2)
    batches = await ask(asking)
    assert [(each.number, len(each.proposals)) for each in batches] == [(0, 2), (1, 2)]
    assert await ask(asking) == batches
