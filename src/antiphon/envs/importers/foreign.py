"""What an imported domain's tools.py calls: functions of the user's own installation, under our conventions."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, cast

from antiphon.envs.tools import CallError
from antiphon.errors import ConfigError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from antiphon.envs.changes import Json

CALLS = "_calls"  # how often each tool was called; an audit table
STATUS_ERROR = "error"


def installed(module: str, remedy: str) -> ModuleType:
    """A module of an optional package. Raises UnavailableError naming the command that brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UnavailableError(f"{module} cannot be imported ({error})", remedy) from None


def from_checkout(folder: Path | str, packages: Iterable[str], module: str, remedy: str) -> ModuleType:
    """A module of a source checkout, without running the `__init__` of the packages above it.

    `folder` is the checkout; its packages lie in `src/`. Those `__init__`s import whole voice stacks, and the tool
    modules need none of it. Raises ConfigError where the files are not there, UnavailableError where the module's
    own imports are missing.
    """
    root = Path(folder) / "src"
    for package in packages:
        place = root.joinpath(*package.split("."))
        if not place.is_dir():
            raise ConfigError(f"{folder} is no such checkout: {place} is missing")
        known = sys.modules.get(package)
        if known is None:
            known = ModuleType(package)
            known.__path__ = [str(place)]
            sys.modules[package] = known
        if str(place) not in known.__path__:
            raise ConfigError(f"{package} is loaded from {known.__path__[0]}; one process uses one checkout")
    return installed(module, remedy)


def unavailable(what: str, remedy: str) -> NoReturn:
    """The tools.py of a domain whose tools could not be had when it was imported: its replay is unavailable."""
    raise UnavailableError(what, remedy)


def ask(function: Callable[..., Any], *db: Json, **arguments: Any) -> Any:
    """Call a function that tells a failure by raising; raises CallError, so that nothing of it stays written."""
    try:
        return function(*db, **arguments)
    except Exception as error:  # its convention: whatever is raised is read by the model
        raise CallError(f"{error}" if str(error) else type(error).__name__) from error


def ask_counted(function: Callable[..., Any], db: Json, **arguments: Any) -> Any:
    """Call a function `f(params, db, call_index)` that returns a status, and count the call, failed or not.

    A status "error" becomes our `{"error": …}`, with the rest beside it. A parameter that was not given is not
    passed on. Where the function raises, nothing stays written, and the call is not counted.
    """
    name = function.__name__
    calls = db.setdefault(CALLS, {})
    calls[name] = calls.get(name, 0) + 1
    params = {key: value for key, value in arguments.items() if value is not None}
    result = cast("Json", ask(function, params=params, db=db, call_index=calls[name]))
    if result.get("status") == STATUS_ERROR:
        return {"error": str(result.get("message") or result.get("error_type") or "failed"), **result}
    return result
