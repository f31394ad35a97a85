"""Live suites meet live systems: any Realtime endpoint, or the engine of this process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antiphon.bench.live import Tail, Venue
from antiphon.errors import ConfigError, unknown
from antiphon.models import cascade, catalog
from antiphon.models.adapters.realtime import MODELS, open_chat, open_live
from antiphon.models.uri import parse
from antiphon.realtime.server.stack import Limits
from antiphon.wiring.loopback import talk_with
from antiphon.wiring.serve import Serving, hall

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager

    from antiphon.bench.live import LiveSystem
    from antiphon.clock import Clock
    from antiphon.messages import ToolSpec
    from antiphon.models.adapters.realtime_session import RealtimeSession
    from antiphon.models.uri import Uri
    from antiphon.realtime.server.server import Hall

ENDPOINTS = ("realtime+ws", "realtime+wss", "openai", "dashscope")
_OPTIONS = ("system", "transcriber", "synthesizer", "policy", "vad", "names")


def live_venue(tail: Tail | None = None) -> Venue:
    """Where suites are performed in real time here."""
    return Venue(open_system, tail or Tail())


def open_system(text: str, clock: Clock) -> LiveSystem:
    """The live system that a URI names: `engine:` or a Realtime endpoint. Raises ConfigError, UnavailableError.

    `engine:?system=cascade:&transcriber=…&synthesizer=…&policy=default&vad=silero&names=Anna,安娜` is what
    `antiphon serve` runs with the same options, in this process. Inside an option, write & as %26.
    """
    uri = parse(text)
    if uri.scheme in ("engine", "cascade", "embedded"):
        return _engine(uri, clock)
    if uri.scheme == "openai" and not uri.path.startswith(MODELS):
        raise ConfigError(
            f"{text}: only Realtime models of api.openai.com, such as gpt-realtime-2, are talked with in real time"
        )
    if uri.scheme in ENDPOINTS:
        return Endpoint(uri, clock, open_chat(uri, clock).name)
    raise unknown(
        "live system", f"{uri.scheme}:", ("engine", *ENDPOINTS), "only these can be talked with in real time"
    )


@dataclass(frozen=True)
class Endpoint:
    """A Realtime endpoint; every item gets a session of its own."""

    uri: Uri
    clock: Clock
    name: str

    async def warm(self) -> None:
        """Nothing to load here."""

    def session(
        self, instructions: str, specs: Sequence[ToolSpec]
    ) -> AbstractAsyncContextManager[RealtimeSession]:
        return open_live(self.uri, self.clock, instructions, specs)


@dataclass
class OwnEngine:
    """What `antiphon serve` runs, in this process."""

    serving: Serving
    clock: Clock
    name: str
    _halls: list[Hall] = field(default_factory=list["Hall"])

    async def warm(self) -> None:
        """Load every model, so that no item pays for it."""
        self._halls.append(await hall(self.serving, self.clock))

    def session(
        self, instructions: str, specs: Sequence[ToolSpec]
    ) -> AbstractAsyncContextManager[RealtimeSession]:
        return talk_with(self._halls[-1], instructions, specs)


def _engine(uri: Uri, clock: Clock) -> OwnEngine:
    if uri.scheme == "engine":
        given = uri.only(*_OPTIONS).options
        if uri.path:
            raise ConfigError(f"{uri.text}: write engine:?system={uri.path}&policy=default")
    else:
        given = {"system": uri.text}  # a cascade performed live is our engine with these parts
    names = tuple(name for name in given.get("names", "").split(",") if name)
    serving = Serving(
        given.get("system", "cascade:"), given.get("transcriber"), given.get("synthesizer"),
        given.get("policy", "default"), given.get("vad", "silero"), names=names, limits=Limits(idle_s=120.0),
    )  # fmt: skip
    parts = [catalog.open_chat(serving.system, clock).name]
    own = serving.system.partition(":")[0] not in (
        "cascade",
        "embedded",
    )  # then with a cascade's ears and voice
    if ears := serving.transcriber or (cascade.part_uri("", "transcriber") if own else None):
        parts.append(catalog.open_transcriber(ears, clock).name)
    if voice := serving.synthesizer or (cascade.part_uri("", "synthesizer") if own else None):
        parts.append(catalog.open_synthesizer(voice, clock).name)
    called = f" called {', '.join(names)}" if names else ""
    name = f"engine{called}: policy {serving.policy}, voice detector {serving.vad}, {', '.join(parts)}"
    return OwnEngine(serving, clock, f"scripted: {name}" if "scripted:" in name else name)
