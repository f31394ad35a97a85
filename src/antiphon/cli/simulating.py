"""What `antiphon realtime simulate` adds where people are heard: options of the sound, progress, ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from antiphon.cli import options
from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.realtime.sets.run import Config, Outcome
    from antiphon.wiring.simulate import Sound

# option → field of `Sound`
_REAL = {
    "synthesizer": "--synthesizer", "voices": "--voices", "rate": "--rate", "room_db": "--room-db",
    "transcriber": "--transcriber", "recogniser_ms": "--recogniser-ms", "tell_language": "--tell-language",
    "vad": "--vad", "speakers": "--speakers",
}  # fmt: skip
SOUND = options.all_of(
    click.option("--synthesizer", metavar="URI", help="real: who speaks the lines; default: kokoro:."),
    click.option(
        "--voices", metavar="LANG=VOICE,…", multiple=True,
        help="real: voices to choose from, as en=af_heart,am_michael; once for each language.",
    ),
    click.option("--rate", type=float, help="real: how fast people speak; default: 1."),
    click.option("--room-db", type=float, help="real: noise of the room, dBFS; default: -60."),
    click.option("--transcriber", metavar="URI", help="real: the recogniser; default: whisper:base?beam=1."),
    click.option(
        "--recogniser-ms", metavar="MS", help="real: what one recognition takes, as 300 or 700-1500; default: 1000."
    ),
    click.option(
        "--tell-language", is_flag=True, default=None, help="real: tell the recogniser which language it hears."
    ),
    click.option("--vad", metavar="NAME", help="real: silero or energy; default: silero."),
    click.option(
        "--speakers", metavar="NAME",
        help="real: unknown, lock (on the voice that speaks first), or told (error-free, with each onset); "
        "default: unknown.",
    ),
)  # fmt: skip


def sound_of(chosen: dict[str, Any]) -> Sound | None:
    """The sound that was asked for, its options taken out of `chosen`; None where nobody is heard.

    Raises ConfigError for an option without effect.
    """
    from antiphon.wiring.simulate import Sound

    given = {name: value for name in _REAL if (value := chosen.pop(name)) not in (None, ())}
    if chosen["observations"] == "real":
        return Sound(**given)
    if given:
        named = ", ".join(_REAL[name] for name in given)
        raise ConfigError(f"{named}: only with --observations real, not {chosen['observations']}")
    return None


def performed(config: Config, sound: Sound | None, *, quiet: bool) -> tuple[list[Outcome], dict[str, Any]]:
    """The sessions and their figures; where people are heard, with the oracle's figures of the same sessions."""
    from antiphon.realtime.sets.run import perform, report, scripts

    if sound is None:
        outcomes = list(perform(config))
        return outcomes, report(config, outcomes)
    from dataclasses import replace

    from antiphon.clock import RealClock
    from antiphon.stage.progress import Silent, progress
    from antiphon.wiring.simulate import Studio, heard_report, perform_real

    watch = Silent() if quiet else progress("sessions")
    total = len(scripts(config))
    studio = Studio(sound, config.seed, RealClock())
    outcomes = []
    watch.start(total, 0)
    for outcome in perform_real(config, studio):
        outcomes.append(outcome)
        watch.advance(1, 0)
    watch.stop()
    oracle = replace(config, observations="oracle")
    beside = report(oracle, list(perform(oracle)))
    return outcomes, report(config, outcomes) | heard_report(studio, outcomes) | {"oracle": beside}


def write_ticks(path: Path, outcomes: list[Outcome]) -> None:
    """Ticks of all sessions in a .jsonl file, or of each in a file of a folder."""
    from antiphon.jsonl import to_row, write_rows
    from antiphon.realtime.simulation.recorded import rows_of
    from antiphon.realtime.simulation.ticks import said_in, ticks

    found = {
        outcome.scripted.session.id: [
            to_row(tick)
            for tick in ticks(
                outcome.scripted.session.id, rows_of(outcome.performed.log), said_in(outcome.performed)
            )
        ]
        for outcome in outcomes
    }
    if path.suffix == ".jsonl":
        write_rows(path, (row for rows in found.values() for row in rows))
        return
    for name, rows in found.items():
        write_rows(path / f"{name}.jsonl", rows)


def heard_lines(figures: dict[str, Any]) -> list[str]:
    """What was heard and how well, for a terminal; nothing where nobody was."""
    if "heard" not in figures:
        return []
    ears, heard, oracle = figures["ears"], figures["heard"], figures["oracle"]
    wrong = ", ".join(
        f"{language} {row['rate']:.3f} ({row['errors']} of {row['n']} {unit})"
        for language, unit in (("en", "words"), ("zh", "characters"))
        if (row := heard["error_rate"][language])["rate"] is not None
    )
    counts = ", ".join(f"{name} {heard[name]}" for name in ("missed", "cut", "joined", "noise"))
    least_ms, most_ms = ears["recogniser_ms"]
    takes = f"{least_ms}" if least_ms == most_ms else f"{least_ms} to {most_ms}"
    return [
        f"oracle, same sessions: {_share(oracle['session_level'])}; points {_share(oracle['point_level'])}",
        f"heard     {heard['lines']} lines as {heard['utterances']} utterances: {counts}; wrong {wrong or 'none'}",
        f"voices    {ears['synthesizer']}, at {ears['speech_db']:g} dBFS, room {ears['room_db']:g} dBFS, "
        f"rate {ears['rate']:g}",
        f"ears      {ears['vad']}; {ears['recogniser']}, {takes} ms a call (declared), language {ears['language']}, "
        f"speakers {ears['speakers']}, the default policy waits {ears['words_waited_ms'] / 1000:g} s for words",
    ]


def _share(row: dict[str, Any]) -> str:
    return "none judgeable" if row["rate"] is None else f"{row['rate']:.4f} ({row['passed']} of {row['n']})"
