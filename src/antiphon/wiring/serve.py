"""The live server out of its parts: recogniser, chat model, voice and turn policy by name, met in one session."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from antiphon.errors import ConfigError, unknown
from antiphon.models import cascade
from antiphon.models.adapters.silero import open_stream
from antiphon.models.catalog import open_chat, open_synthesizer, open_transcriber
from antiphon.models.ports import warm
from antiphon.models.uri import parse
from antiphon.realtime.live.hearing import EnergyVad
from antiphon.realtime.live.ports import Parts
from antiphon.realtime.live.renderer import Renderer
from antiphon.realtime.policy import name_sounds
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.recording import telemetry
from antiphon.realtime.recording.archive import Archive
from antiphon.realtime.server.gate import KEY_VARIABLE, gate
from antiphon.realtime.server.kept_sessions import KeptSessions
from antiphon.realtime.server.server import Hall, need_server
from antiphon.realtime.server.stack import Limits, Stack
from antiphon.realtime.settings import Settings
from antiphon.realtime.simulation.recorded import timed, times
from antiphon.text.script import language_of
from antiphon.wiring import front
from antiphon.wiring.served_domain import desk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from opentelemetry.trace import Tracer

    from antiphon.clock import Clock
    from antiphon.realtime.live.hearing import Detector
    from antiphon.realtime.live.ports import Witness
    from antiphon.realtime.turn_policy import TurnPolicy

DETECTORS: dict[str, Callable[[], Detector]] = {"silero": open_stream, "energy": EnergyVad}

# A recogniser here always answers, late on a busy machine: until then speech that stopped the agent is no mere noise.
WORDS_US = 60_000_000


@dataclass(frozen=True, slots=True)
class Serving:
    """What `antiphon serve` is asked for. `system` is a cascade, or any chat model that then gets the cascade's
    ears and voice."""

    system: str = "cascade:"
    transcriber: str | None = None
    synthesizer: str | None = None
    policy: str = "default"
    vad: str = "silero"
    echo: str = "auto"
    speaker_lock: str | None = None
    end_of_turn: str | None = None
    names: tuple[str, ...] = ()
    domain: str | None = None
    permissions: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    origins: tuple[str, ...] = ()
    ice_servers: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    record: Path | None = None
    retention_days: float = 30.0
    redact: bool = False
    keep: Path | None = None
    trace_content: bool = False


def patient(policy: TurnPolicy) -> TurnPolicy:
    """The policy where words come late but always come: rules, also those within another policy, wait for them."""
    return timed(policy, {"words_us": WORDS_US})


async def hall(asked: Serving, clock: Clock) -> Hall:
    """The server's sessions, every model loaded. Raises ConfigError, UnavailableError."""
    need_server()
    if asked.vad not in DETECTORS:
        raise unknown("voice activity detector", asked.vad, DETECTORS)
    canceller = front.canceller(asked.echo)
    entry = gate(asked.host, os.environ.get(KEY_VARIABLE) or None, asked.origins)
    policy = policy_named(asked.policy)
    tracer = _tracer(asked)
    if asked.redact and asked.record is None:
        raise ConfigError("--redact is for recordings; name a folder with --record")
    policy = patient(policy)
    shelf = _shelf(asked, clock)
    served = desk(asked.domain, asked.permissions, clock) if asked.domain is not None else None
    if served is None and asked.permissions:
        raise ConfigError("--permission is for the tools of a --domain")
    parts = replace(
        _parts(asked, clock),
        canceller=canceller,
        speakers=await front.speakers(asked.speaker_lock),
        end_of_turn=await front.end_of_turn(asked.end_of_turn),
    )
    if served is not None:
        parts = replace(parts, toolbox=served.open)
    options = cascade.options_of(_as_cascade(asked.system))
    for part in (parts.transcriber, parts.chat, parts.renderer.synthesizer):
        await warm(part)
    name_sounds.ready(asked.names)

    def system(text: str) -> str:
        own = options["system"] if "system" in options else cascade.PROMPTS[language_of(text)]
        return own if served is None else f"{own}\n\n{served.system(text)}"

    name = " ".join((parts.chat.name, parts.transcriber.name, parts.renderer.synthesizer.name))
    shown = (
        f"scripted: {asked.system}"
        if "scripted:" in name and not asked.system.startswith("scripted:")
        else asked.system
    )
    settings = Settings(names=asked.names)
    if served is not None:
        settings = replace(settings, tools=served.specs, permissions=served.permissions)
    return Hall(
        Stack(
            shown, parts, policy, system, clock, settings, language=options.get("language"), echo=asked.echo == "on",
            trace=_trace(tracer, asked, clock, parts.chat.name), record=_archive(asked, clock, shown, policy), keep=shelf,
        ),
        entry,
        asked.limits,
        ice_servers=asked.ice_servers,
    )  # fmt: skip


def _tracer(asked: Serving) -> Tracer | None:
    """Where traces go, if the environment says so."""
    tracer = telemetry.tracer()
    if tracer is None and asked.trace_content:
        raise ConfigError(
            "nobody takes traces: set OTEL_EXPORTER_OTLP_ENDPOINT, and pip install 'antiphon[telemetry]'"
        )
    return tracer


def _trace(
    tracer: Tracer | None, asked: Serving, clock: Clock, model: str
) -> Callable[[str], Witness] | None:
    if tracer is None:
        return None
    return lambda name: telemetry.Traces(tracer, clock, name, model, content=asked.trace_content)


def _archive(asked: Serving, clock: Clock, model: str, policy: TurnPolicy) -> Archive | None:
    if asked.record is None:
        return None
    return Archive(
        asked.record,
        asked.retention_days,
        asked.redact,
        clock,
        model,
        asked.policy,
        asked.names,
        times(policy),
    )


def _shelf(asked: Serving, clock: Clock) -> KeptSessions | None:
    """Where sessions are kept for the next server."""
    if asked.keep is None:
        return None
    if asked.limits.resume_s <= 0:
        raise ConfigError("--keep is for clients that may come back; let --resume-s be more than 0")
    if asked.domain is not None:
        raise ConfigError(
            "--keep keeps no database of a --domain, and the conversation would lie; leave one out"
        )
    if asked.redact:
        raise ConfigError("--keep writes what is said as it is said; leave it out, or --redact")
    return KeptSessions(asked.keep, clock, asked.limits.resume_s)


def _parts(asked: Serving, clock: Clock) -> Parts:
    """Recogniser, chat model and voice of the system that was asked for."""
    whole = _as_cascade(asked.system)
    chat_uri = cascade.part_uri(whole, "chat") if whole else asked.system
    chat = open_chat(chat_uri, clock)
    if "text" not in chat.gives:
        raise ConfigError(f"{chat_uri} writes no text; the voice here speaks what a model writes")
    return Parts(
        open_transcriber(asked.transcriber or cascade.part_uri(whole, "transcriber"), clock), chat,
        Renderer(open_synthesizer(asked.synthesizer or cascade.part_uri(whole, "synthesizer"), clock)),
        DETECTORS[asked.vad],
    )  # fmt: skip


def _as_cascade(system: str) -> str:
    """The system where it is a cascade, else nothing: its parts are then the defaults."""
    parse(system)
    return system if system.partition(":")[0] in ("cascade", "embedded") else ""
