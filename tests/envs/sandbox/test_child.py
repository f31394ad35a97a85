from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from antiphon.envs.sandbox import child
from antiphon.envs.sandbox.limits import DEFAULT
from antiphon.envs.sandbox.modules import MODULES
from tests.envs.sandbox.attacks import attack

SCRIPT = [sys.executable, "-s", "-S", "-P", "-B", str(child.__file__)]


def test_it_ends_when_its_owner_is_gone():
    path = [str(Path(each).resolve()) for each in sys.path if each]
    setting = json.dumps({"path": path, "limits": asdict(DEFAULT), "without": []}) + "\n"
    ran = subprocess.run(SCRIPT, input=setting.encode(), capture_output=True, timeout=30, check=False)
    assert ran.returncode == 0
    assert json.loads(ran.stdout[4:])["guards"].keys() == {
        "privileges", "limits", "namespaces", "landlock", "seccomp", "audit",
    }  # fmt: skip


def test_without_a_setting_it_does_nothing():
    ran = subprocess.run(SCRIPT, input=b"", capture_output=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


@pytest.mark.skipif(sys.platform != "linux", reason="the guards are those of Linux")
def test_every_listed_module_can_be_imported(tmp_path: Path):
    lines = "\n".join(f"import {module.__name__}" for module in MODULES if module.__name__ != "__future__")
    done = attack(tmp_path, f"{lines}\nresult = datetime.datetime.strptime('2026', '%Y').year")
    assert (done.value, done.defect) == ({"result": 2026}, None)
