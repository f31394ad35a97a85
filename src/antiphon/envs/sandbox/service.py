"""What the sandbox process does: it answers requests to read tools and to call them."""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import msgspec

from antiphon.envs.changes import diff
from antiphon.envs.drafts import draft, plain, settle
from antiphon.envs.sandbox.frames import Answer, Interface, Request, pack, take
from antiphon.envs.sandbox.guards import lock_down
from antiphon.envs.sandbox.limits import Limits
from antiphon.envs.sandbox.modules import MODULES
from antiphon.envs.tools import ArgumentError, Tool, read_tools
from antiphon.errors import DomainError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.envs.changes import Json

_HIDDEN = ("ctypes", "_ctypes", "resource", "select", "_posixsubprocess")  # in words; the kernel is the wall


def serve(from_owner: int, to_owner: int, limits: Mapping[str, Any], without: Sequence[str]) -> None:
    """Lock this process down, say which guards are on, and answer every request in turn."""
    bounds = Limits(**limits)
    on = lock_down(bounds, without)
    sys.path.clear()
    sys.path_importer_cache.clear()
    for name in _HIDDEN:
        sys.modules.pop(name, None)
    service = Service()
    _send(to_owner, pack(Answer(guards=on)))
    while (body := take(from_owner)) is not None:
        request = msgspec.json.decode(body, type=Request)
        answer = _packed(service.answer(request), request.token)
        if len(answer) > bounds.result_bytes:
            told = f"its result has {len(answer)} bytes; a call gives back at most {bounds.result_bytes}"
            answer = pack(Answer(request.token, raised=told))
        _send(to_owner, answer)


def _packed(answer: Answer, token: str) -> bytes:
    try:
        return pack(msgspec.structs.replace(answer, token=token))
    except (TypeError, ValueError, RecursionError) as error:
        return pack(Answer(token, raised=f"{type(error).__name__}: {error}"))


def _send(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


class Service:
    """The tools that have been read, and the document that calls act on."""

    def __init__(self) -> None:
        self._tools: dict[str, dict[str, Tool]] = {}
        self._db: Json = {}

    def answer(self, request: Request) -> Answer:
        """The answer to one request; generated code may raise whatever it likes."""
        if request.db is not None:
            self._db = request.db
        try:
            return self._read(request) if request.do == "read" else self._call(request)
        except ArgumentError as error:
            return Answer(value={"error": str(error)})
        except DomainError as error:
            return Answer(problem=str(error))
        except BaseException as error:  # noqa: BLE001  generated code: exits and interrupts too are only its own failure
            return Answer(raised=f"{type(error).__name__}: {error}"[:400])

    def _read(self, request: Request) -> Answer:
        module = _module(request.file, request.source)
        found = read_tools(module, request.behaviour)
        self._tools[request.file] = found
        return Answer(interfaces=tuple(_interface(tool) for tool in found.values()))

    def _call(self, request: Request) -> Answer:
        tool = self._tools[request.file][request.tool]
        bound = tool.bind(request.arguments)
        working = draft(self._db)
        value = plain(tool.function(working, **bound))
        after = settle(working)
        return Answer(value=value, changes={} if after is self._db else diff(self._db, after))


def _interface(tool: Tool) -> Interface:
    spec = tool.spec
    return Interface(
        spec.name, spec.description, cast("dict[str, Any]", spec.parameters), spec.cancel_on_interrupt,
        spec.blocks_answer, spec.slow,
    )  # fmt: skip


def _module(file: str, source: str) -> ModuleType:
    """Generated source as a module. Raises DomainError when it does not import, with the reason."""
    name = f"generated_{file.removesuffix('.py')}"
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and annotations look their module up here
    try:
        exec(compile(source, file, "exec"), module.__dict__)  # what the sandbox is for
    except BaseException as error:  # noqa: BLE001  generated code may fail in any way; its author is told which
        line = getattr(error, "lineno", None)
        at = f", line {line}" if isinstance(line, int) else ""
        if isinstance(error, ImportError):
            at = f"; there are: {', '.join(each.__name__ for each in MODULES)}"
        raise DomainError(f"does not import ({type(error).__name__}: {error}{at})") from None
    return module
