"""`antiphon serve`: talk with an agent, in the browser or with any Realtime client."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click


@click.command(name="serve")
@click.option(
    "--system", metavar="URI", default="cascade:", show_default=True,
    help="Who answers: a cascade, or any chat model, which then gets the cascade's ears and voice.",
)  # fmt: skip
@click.option(
    "--transcriber", metavar="URI", default=None, help="The recogniser, where the system's is not wanted."
)
@click.option("--synthesizer", metavar="URI", default=None, help="The voice; espeak: answers soonest.")
@click.option("--policy", metavar="NAME", default="default", show_default=True, help="The turn policy.")
@click.option(
    "--vad", metavar="NAME", default="silero", show_default=True,
    help="Who hears speech begin and end: silero, or energy for many sessions.",
)  # fmt: skip
@click.option(
    "--echo", metavar="off|auto|on", default="auto", show_default=True,
    help="Whose microphone hears the agent: nobody's, theirs who ask for far_field noise reduction, or everyone's.",
)  # fmt: skip
@click.option(
    "--speaker-lock", metavar="first|FILE", default=None,
    help="Serve one person: who speaks first, or whose voice is in FILE. Others are heard and not answered.",
)  # fmt: skip
@click.option(
    "--end-of-turn", metavar="NAME", default=None,
    help="A model that hears whether somebody has finished: smart-turn.",
)  # fmt: skip
@click.option("--name", "names", multiple=True, help="A name that the agent listens to; may be repeated.")
@click.option(
    "--domain", metavar="NAME", default=None,
    help="The agent's tools and rules: an environment, by name or folder. Each session acts on a copy of its own.",
)  # fmt: skip
@click.option(
    "--permission", "permissions", metavar="TOOL=WHAT", multiple=True,
    help="allow, confirm or deny a tool of the domain; may be repeated. Tools that write are confirmed by default.",
)  # fmt: skip
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Anything but the loopback needs ANTIPHON_SERVE_KEY.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8040, show_default=True, help="0 takes a free one."
)
@click.option(
    "--origin", "origins", multiple=True, help="Another site whose pages may connect, as https://HOST."
)
@click.option(
    "--ice-server", "ice_servers", multiple=True, metavar="URL",
    help="WebRTC across networks: a STUN or TURN server, as stun:HOST:PORT; may be repeated.",
)  # fmt: skip
@click.option(
    "--sessions", type=click.IntRange(1), default=16, show_default=True, help="At most so many at once."
)
@click.option(
    "--session-s",
    type=click.FloatRange(0, min_open=True),
    default=3600.0,
    show_default=True,
    help="At most so many seconds each.",
)
@click.option(
    "--idle-s",
    type=click.FloatRange(0, min_open=True),
    default=300.0,
    show_default=True,
    help="A client that sends nothing for so long is let go.",
)
@click.option(
    "--resume-s", type=click.FloatRange(0), default=60.0, show_default=True,
    help="A client that lost its connection may come back within so many seconds; 0: it may not.",
)  # fmt: skip
@click.option(
    "--keep", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), default=None,
    help="Keep conversations here while they last, so that clients come back to them after the server was restarted.",
)  # fmt: skip
@click.option(
    "--record", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), default=None,
    help="Keep every session's sound, words and decisions here; clients are told, and may decline.",
)  # fmt: skip
@click.option(
    "--retention-days", type=click.IntRange(min=1), default=30, show_default=True,
    help="Recordings older than this are deleted.",
)  # fmt: skip
@click.option(
    "--redact", is_flag=True, help="Leave numbers and addresses out of recordings, words and sound."
)
@click.option(
    "--trace-content", is_flag=True, help="Put what is said into traces (OTEL_* says where they go)."
)
def command(
    *, port: int, sessions: int, session_s: float, idle_s: float, resume_s: float, **asked: Any
) -> None:
    """Serve the OpenAI Realtime protocol at /v1/realtime and a page to talk at /.

    Ctrl-C lets answers under way end; a second one does not.
    """
    from antiphon.clock import RealClock
    from antiphon.realtime.server.server import serve
    from antiphon.realtime.server.stack import Limits
    from antiphon.wiring.serve import Serving, hall

    limits = Limits(sessions=sessions, session_s=session_s, idle_s=idle_s, resume_s=resume_s)
    serving = Serving(**asked, limits=limits)
    click.echo("loading the models", err=True)
    made = asyncio.run(hall(serving, RealClock()))
    serve(made, host=serving.host, port=port, announce=_announce)


def _announce(url: str) -> None:
    click.echo(f"talk at {url}  (Realtime clients: {url.replace('http', 'ws', 1)}v1/realtime; Ctrl-C ends)")
