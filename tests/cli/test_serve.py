from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request

from tests.cli.commands import antiphon

FAKE = (
    "--system",
    "scripted:echo",
    "--transcriber",
    "scripted:",
    "--synthesizer",
    "scripted:",
    "--vad",
    "energy",
)


def test_it_says_where_to_talk_serves_the_page_and_ends_well_when_told():
    command = [
        sys.executable,
        "-c",
        "from antiphon.cli.main import main; main()",
        "serve",
        *FAKE,
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}) as server:  # fmt: skip
        assert server.stdout is not None
        line = server.stdout.readline()
        found = re.match(
            r"talk at (http://127\.0\.0\.1:\d+/)  \(Realtime clients: (ws://127\.0\.0\.1:\d+/v1/realtime);",
            line,
        )
        assert found, line
        with urllib.request.urlopen(found[1]) as page:
            assert b"Antiphon" in page.read()
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0


def test_an_open_server_without_a_key_is_refused_in_one_line():
    done = antiphon("serve", *FAKE, "--host", "0.0.0.0")
    assert done.code == 2
    assert (
        "0.0.0.0 is open to the network: set a key in ANTIPHON_SERVE_KEY, or serve at 127.0.0.1" in done.err
    )
