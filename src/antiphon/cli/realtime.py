"""`antiphon realtime`: the full-duplex engine in virtual time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from antiphon.cli import options, simulating


@click.group(name="realtime")
def command() -> None:
    """The full-duplex engine: measure a turn policy, or play a recorded session under another one."""


@command.command(name="simulate")
@click.option(
    "--set", "set_", required=True, metavar="SET", help="multi-party, semantic-control or fdb-like."
)
@click.option("--sessions", type=int, default=None, help="How many; default: 100 (fdb-like: 499).")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--observations", default="oracle", show_default=True,
    help="oracle (error-free edges, speakers and words; never what to do), noisy, or real: synthesized sound, "
    "a voice detector and a recogniser.",
)  # fmt: skip
@click.option(
    "--error",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="How often noisy observations err.",
)
@click.option(
    "--policy", default="default", show_default=True, help="default, always-answer, never-answer or scores."
)
@click.option(
    "--phrases",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="Phrases of your own: a JSON file, or a folder with en.json and zh.json. Sorts it lacks are ours.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="Keep each session's event log in this folder.",
)
@click.option(
    "--ticks",
    type=click.Path(path_type=Path),
    default=None,
    help="Write 200 ms ticks: a FILE.jsonl for all sessions, or a folder with a file each.",
)
@simulating.SOUND
@options.JSON
def simulate(*, as_json: bool, out: Path | None, ticks: Path | None, set_: str, **chosen: Any) -> None:
    """Perform a set of scripted sessions in virtual time and judge every point.

    The people and the model's words are scripted; the engine and the turn policy are those that serve.
    """
    from antiphon.realtime.sets.run import Config
    from antiphon.realtime.simulation.recorded import Header, write

    sound = simulating.sound_of(chosen)
    config = Config(set_, **chosen)
    outcomes, figures = simulating.performed(config, sound, quiet=as_json)
    if out is not None:
        for outcome in outcomes:
            session = outcome.scripted.session
            header = Header(session.id, config.policy, config.seed, session.settings.names, scripted=True)
            write(out / f"{session.id}.jsonl", header, outcome.performed.log)
    if ticks is not None:
        simulating.write_ticks(ticks, outcomes)
    click.echo(json.dumps(figures, ensure_ascii=False) if as_json else "\n".join(_lines(figures)))


def _lines(figures: dict[str, Any]) -> list[str]:
    points = figures["point_level"]
    lines = [
        f"{figures['set']}, scripted, seed {figures['seed']}, policy {figures['policy']}, "
        f"observations {figures['observations']}",
        f"sessions  {_rate(figures['session_level'])}",
        f"points    {_rate(points)}, unjudgeable {points['unjudgeable']}",
    ]
    for task, row in figures["tasks"].items():
        did = ", ".join(f"{name} {row[name]['n']}" for name in ("respond", "resume", "uncertain", "unknown"))
        lines.append(f"  {task:<18} {_rate(row)}: {did}")
    return [*lines, *simulating.heard_lines(figures), f"event log {figures['event_log_sha256']}"]


def _rate(row: dict[str, Any]) -> str:
    return "none judgeable" if row["rate"] is None else f"{row['rate']:.4f} ({row['passed']} of {row['n']})"


@command.command(name="replay")
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--policy",
    default="default",
    show_default=True,
    help="default, always-answer, never-answer, scores or semantic.",
)
@options.JSON
def replay(path: Path, *, policy: str, as_json: bool) -> None:
    """Play the observations of a recorded session under another policy; print where the decisions differ."""
    from antiphon.realtime.policy.policies import policy_named
    from antiphon.realtime.simulation import recorded

    found = recorded.replay(recorded.read(path), policy_named(policy))
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    click.echo(
        f"{found['session']}: {len(found['differences'])} of {found['utterances']} utterances decided otherwise "
        f"({found['recorded_policy']} → {found['replayed_policy']})"
    )
    for each in found["differences"]:
        click.echo(f"  {each['text'] or each['utterance']}")
        for name in ("recorded", "replayed"):
            row = each[name]
            what = "undecided" if row is None else f"{row['floor']}, {row['answer']}: {row['reason']}"
            click.echo(f"    {name}  {what}")


@command.command(name="ticks")
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--tau", is_flag=True, help="With the names of τ²-bench's full-duplex trajectories.")
def ticks(path: Path, *, tau: bool) -> None:
    """Print a recorded session in ticks of 200 ms, one JSON object each."""
    from antiphon.jsonl import dumps, to_row
    from antiphon.realtime.simulation import recorded
    from antiphon.realtime.simulation.ticks import as_tau
    from antiphon.realtime.simulation.ticks import ticks as ticks_of

    header, log = recorded.rows(path)
    for tick in ticks_of(header.session, log):
        click.echo(dumps(as_tau(tick) if tau else to_row(tick)))


@command.command(name="learn")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[LINES]...")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE.npz")
@click.option("--only", is_flag=True, help="Learn from your lines alone, without ours.")
@click.option(
    "--folds",
    type=click.IntRange(0, 20),
    default=5,
    show_default=True,
    help="For the held-out figures; 0: none.",
)
@options.JSON
def learn(paths: tuple[Path, ...], *, out: Path, only: bool, folds: int, as_json: bool) -> None:
    """Learn what words do (ask, acknowledge, stop, speak to others, ...) from our lines and yours.

    Each line of a file is an act, a tab, and words. Use what is learned with --policy 'default?acts=FILE.npz'.
    """
    from antiphon.realtime.policy import learning

    figures = learning.learn(paths, out, only=only, folds=folds)
    if as_json:
        click.echo(json.dumps(figures, ensure_ascii=False))
        return
    click.echo(f"{out}: {figures['runs']} runs of words from {figures['lines']} lines")
    told = figures["held_out"]
    for act, count in figures["acts"].items():
        unseen = f", {told['right'][act]} told right unseen" if told else ""
        click.echo(f"  {act:<12} {count:>6} lines{unseen}")
    if told:
        click.echo(f"  for somebody else or not, unseen: {told['for_others_right']} of {told['n']} right")
