"""`antiphon envs mcp`."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import click


@click.command(name="mcp")
@click.argument("domain")
@click.option(
    "--task", metavar="ID", default=None, help="What a session plays first; default: the first task."
)
@click.option(
    "--partner", metavar="URI", default="scripted", show_default=True,
    help="Who plays the caller: scripted, or any chat model.",
)  # fmt: skip
@click.option(
    "--no-control", is_flag=True, help="Offer no episode_reset and episode_finish: for a model under test."
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=None, help="Append each trace here."
)
@click.option(
    "--http",
    is_flag=True,
    help="Streamable HTTP at /mcp for any number of sessions; default: stdio, for one.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="With --http. There are no accounts: keep it local.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8931, show_default=True, help="With --http.")
def mcp(**given: Any) -> None:
    """Serve the tools of DOMAIN over the Model Context Protocol, each session with a state of its own."""
    from antiphon.envs.bridges.mcp_server import Desk, serve_http, serve_stdio
    from antiphon.envs.bridges.practice import Practice, PracticeSettings
    from antiphon.jsonl import Appender

    practice = Practice(given["domain"], PracticeSettings(partner=given["partner"]))
    first = given["task"] or practice.tasks[0].task_id
    with Appender(given["out"]) if given["out"] else nullcontext() as traces:
        desk = Desk(practice, first, traces, control=not given["no_control"])
        if given["http"]:
            asyncio.run(serve_http(desk, given["host"], given["port"], partial(click.echo, err=True)))
        else:
            asyncio.run(serve_stdio(desk))
