from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import antiphon

CODE = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
from antiphon.envs.sandbox import landlock
ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
try:
    version = landlock.enter()
except OSError as error:
    print("none", error)
    sys.exit()
try:
    open("/etc/passwd")
except PermissionError:
    print(f"closed by version {version}")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is a part of Linux")
def test_no_file_opens_once_it_is_entered():
    home = str(Path(antiphon.__file__).parents[1])
    ran = subprocess.run(
        [sys.executable, "-c", CODE, home], capture_output=True, text=True, timeout=30, check=True
    )
    if ran.stdout.startswith("none"):
        pytest.skip(f"this kernel has no Landlock: {ran.stdout}")
    assert ran.stdout.startswith("closed by version")
