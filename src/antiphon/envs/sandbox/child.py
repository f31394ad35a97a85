"""The sandbox process: locks itself down, then reads generated tools and answers calls. Run as a script."""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    """Read what to be from the first line, lock down, and serve until the owner is gone."""
    setting = json.loads(_line())
    sys.path[:] = setting["path"]
    from antiphon.envs.sandbox.service import serve

    to_owner = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)  # what generated code prints goes nowhere
    serve(0, to_owner, setting["limits"], setting["without"])


def _line() -> bytes:
    """The first line, byte by byte: what follows it is left for others to read."""
    found = b""
    while not found.endswith(b"\n"):
        part = os.read(0, 1)
        if not part:
            sys.exit(0)
        found += part
    return found


if __name__ == "__main__":
    main()
