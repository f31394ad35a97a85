"""Realtime endpoints by URI: as a `Chat` to measure, and as a live session.

`openai:gpt-realtime-2` and `openai:gpt-live-1` are api.openai.com, `dashscope:MODEL` is Model Studio, and
`realtime+ws://HOST/v1/realtime?model=MODEL` (or wss) any other; a path that ends in `/live/sessions` speaks the
Live protocol.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode, urlsplit

from antiphon.errors import ConfigError, unknown
from antiphon.models.adapters import realtime_live
from antiphon.models.adapters.openai_http import OPTIONS, key_for
from antiphon.models.adapters.realtime_chat import RealtimeChat, Setup
from antiphon.models.adapters.realtime_live import LiveChat, LiveSetup
from antiphon.models.adapters.realtime_session import open_session
from antiphon.models.adapters.realtime_socket import Address
from antiphon.models.retry import Limits
from antiphon.models.wire import dashscope
from antiphon.models.wire.ga.dialect import BETA, GA, Dialect

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager

    from antiphon.clock import Clock
    from antiphon.messages import Kind, ToolSpec
    from antiphon.models.adapters.realtime_session import RealtimeSession
    from antiphon.models.ports import Chat
    from antiphon.models.uri import Uri

OFFICIAL = "wss://api.openai.com/v1/realtime"
OFFICIAL_LIVE = "wss://api.openai.com/v1/live/sessions"
MODELS = ("gpt-realtime", "gpt-live")  # how the names of OpenAI's models for the two protocols begin
_DIALECTS: dict[str, Dialect] = {"ga": GA, "beta": BETA, "dashscope": dashscope.DASHSCOPE}
_HEADERS = {"beta": {"OpenAI-Beta": "realtime=v1"}}
_OWN = ("model", "dialect", "voice", "gives", "transcribe", "pace", "host")
_OWN_LIVE = ("model", "dialect", "voice", "gives", "backend", "settle_ms")


def open_chat(uri: Uri, clock: Clock) -> Chat:
    """The model that a URI names. Raises ConfigError.

    Options: `model`, `dialect` (ga, beta, dashscope, live), `voice`, `gives` (text,speech), `transcribe` (the
    endpoint's recogniser of questions), `pace=1` (questions at the speed of speech), `timeout_s`, `key`
    (the NAME of an environment variable), `rpm`, `concurrency`, `attempts`, `session.NAME=JSON` for any
    other setting of the session (null leaves one out), `query.NAME=TEXT` for the address. In the Live dialect
    there are no `transcribe` and `pace`, but `backend` (the endpoint's background model, for tools and written
    questions) and `settle_ms` (of silence, after which an answer counts as over).
    """
    setup = _setup(uri, clock)
    whole = {
        name: uri.whole(name, default) for name, default in (("rpm", 0), ("concurrency", 0), ("attempts", 5))
    }
    if whole["attempts"] < 1:
        raise ConfigError(f"{uri.text}: attempts counts from 1")
    limits = Limits(
        setup.address.url.partition("?")[0],
        whole["rpm"] or None,
        whole["concurrency"] or None,
        whole["attempts"],
    )
    return LiveChat(setup, limits) if isinstance(setup, LiveSetup) else RealtimeChat(setup, limits)


def open_live(
    uri: Uri, clock: Clock, instructions: str = "", specs: Sequence[ToolSpec] = ()
) -> AbstractAsyncContextManager[RealtimeSession]:
    """A live session with the model that a URI names; the endpoint takes its own turns.
    Raises ConfigError; entering it raises ModelError."""
    setup = _setup(uri, clock)
    if isinstance(setup, LiveSetup):
        try:
            return realtime_live.open_session(setup, setup.session(instructions, specs))
        except ValueError as error:
            raise ConfigError(f"{uri.text}: {error}") from None
    settings = setup.session(instructions, specs, speech="speech" in setup.gives, by_hand=False)
    return open_session(setup.address, setup.dialect, settings, extra=setup.extra)


def _setup(uri: Uri, clock: Clock) -> Setup | LiveSetup:
    base, model, usual, dialect = _place(uri)
    extra = {name[8:]: _json(value) for name, value in uri.options.items() if name.startswith("session.")}
    query = {name[6:]: value for name, value in uri.options.items() if name.startswith("query.")}
    spoken = uri.options.get("dialect", dialect)
    if spoken not in (*_DIALECTS, "live"):
        raise unknown("dialect", spoken, (*_DIALECTS, "live"))
    own = _OWN_LIVE if spoken == "live" else _OWN
    uri.only(*OPTIONS, *own, *(f"session.{name}" for name in extra), *(f"query.{name}" for name in query))
    try:
        urlsplit(base).port  # noqa: B018 - reading it is the check
    except ValueError as error:
        raise ConfigError(f"{uri.text}: {error}") from None
    if "@" in urlsplit(base).netloc:
        raise ConfigError(
            "a password in an address would end in every record; use an environment variable and key=NAME"
        )
    timeout_s = uri.whole("timeout_s", 120)
    if timeout_s < 1:
        raise ConfigError(f"{uri.text}: timeout_s counts from 1")
    # In Live the model is a setting of the session.
    asked = query if spoken == "live" else {"model": model, **query}
    url = f"{base}?{urlencode(asked)}" if asked else base
    kept = {
        key: value for key, value in sorted(uri.options.items()) if key not in (*OPTIONS, "model", "host")
    }
    settings = "&".join(f"{key}={value}" for key, value in kept.items())
    name = f"realtime+{base}{'?' if settings else ''}{settings}#{model}"
    address = Address(url, name, clock, key_for(uri, base, usual), timeout_s, _HEADERS.get(spoken, {}))
    if spoken == "live":
        settle_ms = uri.whole("settle_ms", 1500)
        if not 100 <= settle_ms <= 60_000:
            raise ConfigError(f"{uri.text}: settle_ms is between 100 and 60000")
        voice, backend = uri.options.get("voice"), uri.options.get("backend")
        return LiveSetup(address, model, _gives(uri), voice, backend, settle_ms * 1000, extra)
    return Setup(
        address,
        _DIALECTS[spoken],
        _gives(uri),
        uri.options.get("voice"),
        uri.options.get("transcribe"),
        uri.options.get("pace", "0") not in ("0", "false", "no"),
        extra,
    )


def _place(uri: Uri) -> tuple[str, str, str, str]:
    """Address, model, the usual variable of its key, and its dialect."""
    if uri.scheme == "openai":
        live = uri.path.startswith(MODELS[1])
        return OFFICIAL_LIVE if live else OFFICIAL, uri.path, "OPENAI_API_KEY", "live" if live else "ga"
    if uri.scheme == "dashscope":
        if not uri.path:
            raise ConfigError(f"{uri.text}: write dashscope:MODEL, as in dashscope:qwen-audio-3.1-realtime")
        host = uri.options.get("host", dashscope.HOST)
        return f"wss://{host}{dashscope.PATH}", uri.path, "DASHSCOPE_API_KEY", "dashscope"
    base = f"{uri.scheme.removeprefix('realtime+')}:{uri.path}".rstrip("/")
    place, model = urlsplit(base), uri.options.get("model") or uri.fragment
    if not place.netloc or not model:
        raise ConfigError(f"{uri.text}: write {uri.scheme}://HOST:PORT/v1/realtime?model=MODEL")
    if place.path.endswith("/live/sessions") or uri.options.get("dialect") == "live":
        return base if place.path else f"{base}/v1/live/sessions", model, "OPENAI_API_KEY", "live"
    return base if place.path else f"{base}/v1/realtime", model, "OPENAI_API_KEY", "ga"


def _gives(uri: Uri) -> frozenset[Kind]:
    kinds = uri.options.get("gives", "text,speech").split(",")
    for kind in kinds:
        if kind not in ("text", "speech"):
            raise unknown("gives", kind, ("text", "speech"))
    return frozenset(cast("list[Kind]", kinds))


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value
