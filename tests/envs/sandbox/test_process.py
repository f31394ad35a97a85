from __future__ import annotations

import re
import socket
import sys
from pathlib import Path

import pytest

from antiphon.envs.check import check_domain
from antiphon.envs.contract import replay
from antiphon.envs.domain import OWN, open_domain, read_domain
from antiphon.envs.execute import execute
from antiphon.envs.sandbox.limits import Limits
from antiphon.envs.sandbox.process import Sandbox
from antiphon.errors import ConfigError, DomainError
from tests.envs.sandbox.attacks import DB, SMALL, SOURCE, attack, attacks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guards are those of Linux")

KERNEL = ("audit",)  # the kernel's walls alone
FORBIDDEN = {
    "a file of the user": "open('/etc/passwd').read()",
    "a folder": "import os; result = os.listdir('/')",
    "its own memory": "open('/proc/self/mem', 'rb').read(1)",
    "another's memory": "open('/proc/1/mem', 'rb').read(1)",
    "a new file": "open('/tmp/made_in_the_sandbox', 'w')",
    "removing a file": "import os; os.unlink('/tmp/no_such_file_of_the_sandbox')",
    "a link": "import os; os.symlink('/etc/passwd', '/tmp/link_of_the_sandbox')",
    "another process": "import os; os.fork()",
    "a fork bomb": "import os\nwhile True: os.fork()",
    "a command": "import os; os.posix_spawn('/bin/true', ['true'], {})",
    "becoming a command": "import os; os.execv('/bin/true', ['true'])",
    "a signal to its owner": "import os; os.kill(os.getppid() if hasattr(os, 'getppid') else 1, 0)",
    "a signal to itself": "import os; os.kill(os.getpid(), 15)",
    "higher limits": "import sys; m = sys.modules['antiphon.envs.sandbox.guards'].resource; m.setrlimit(m.RLIMIT_CPU, (1, 1))",
    "another user": "import os; os.setuid(0)",
    "a pipe": "import os; os.pipe()",
    "shared memory": "import os; os.memfd_create('x')",
}  # fmt: skip


@pytest.mark.parametrize("without", [(), KERNEL], ids=["all", "kernel"])
def test_what_is_not_computation_is_forbidden(without: tuple[str, ...], tmp_path: Path):
    done = attacks(tmp_path, *FORBIDDEN.values(), without=without)
    refused = re.compile(r"raised SandboxError: (PermissionError|OSError|ValueError: not allowed to raise)")
    passed = [
        what for what, each in zip(FORBIDDEN, done, strict=True) if not refused.match(each.defect or "")
    ]
    assert passed == []
    assert all(each.db is DB for each in done)


def test_modules_that_reach_out_cannot_be_imported(tmp_path: Path):
    home = str(Path(socket.__file__).parent)
    names = ["socket", "subprocess", "ctypes", "multiprocessing", "asyncio", "mmap"]
    codes = [f"import sys; sys.path[:] = [{home!r}]\nimport {name}" for name in names]
    for done in attacks(tmp_path, *codes, without=KERNEL):
        assert done.defect is not None
        assert "ModuleNotFoundError" in done.defect


NATIVE = {
    "socket": "c = libc(); result = c.socket(2, 1, 0)",
    "local socket": "c = libc(); result = c.socket(1, 1, 0)",
    "fork": "c = libc(); result = c.fork()",
    "system": "c = libc(); result = c.system(b'true') // 256",
    "open": "c = libc(); result = c.open(b'/etc/passwd', 0)",
    "ptrace": "c = libc(); result = c.ptrace(0, 0, 0, 0)",
    "native code": "c = libc(); c.mmap.restype = __import__('sys').modules['antiphon.envs.sandbox.seccomp'].ctypes.c_ssize_t; result = c.mmap(0, 4096, 7, 0x22, -1, 0)",
    "prctl": "c = libc(); result = c.prctl(38, 0, 0, 0, 0)",
    "a system call of the other numbering": "c = libc(); result = -1 if c.syscall(101, 0, 0, 0, 0) < 0 else 0",
}  # fmt: skip


def test_native_calls_meet_the_kernel(tmp_path: Path):
    done = attacks(tmp_path, *NATIVE.values(), without=KERNEL)
    found = {what: each.value.get("result") for what, each in zip(NATIVE, done, strict=True)}
    assert found == {**dict.fromkeys(NATIVE, -1), "system": 127}  # 127: no shell could be started


def test_the_native_library_is_refused_in_words_too(tmp_path: Path):
    done = attack(tmp_path, "result = libc().fork()")
    assert done.defect == "raised SandboxError: PermissionError: ctypes.dlopen is not allowed in the sandbox"


def test_landlock_alone_keeps_files_out(tmp_path: Path):
    link = tmp_path / "link"
    link.symlink_to("/etc/passwd")
    paths = ("/etc/passwd", str(link), "/proc/self/mem", str(Path.home()), str(tmp_path / "tools.py"))
    codes = [f"import os; os.open({path!r}, os.O_RDONLY)" for path in paths]
    for done in attacks(tmp_path, *codes, without=("audit", "seccomp")):
        assert done.defect is not None
        assert "PermissionError" in done.defect


def test_a_namespace_alone_keeps_the_network_out(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        home = str(Path(socket.__file__).parent)
        code = f"""
import sys; sys.path[:] = [{home!r}, {home + "/lib-dynload"!r}]
import socket; socket.create_connection(("127.0.0.1", {port}), 1); result = "connected"
"""
        inside = attack(tmp_path, code, without=("audit", "seccomp", "landlock"))
        assert inside.defect is not None
        assert "unreachable" in inside.defect
        outside = attack(tmp_path, code, without=("audit", "seccomp", "landlock", "namespaces"))
        assert outside.value == {"result": "connected"}  # so that the test shows something


SEND = """import os, struct
for fd in range(3, 9):
    try: os.write(fd, struct.pack('>I', len(b)) + b)
    except OSError: pass"""
# The token of the request in hand, read from the frames of the process's own stack.
TOKEN = "[f.f_locals['request'].token for f in [__import__('sys')._getframe(n) for n in range(6)] if 'request' in f.f_locals][0]"
RUNAWAY = {
    "an endless loop": ("while True: pass", "took longer than 1 s"),
    "an endless regular expression": (
        "import re; re.match('(a+)+$', 'a' * 40 + 'b')",
        "took longer than 1 s",
    ),
    "a memory bomb": ("x = [0] * (1 << 40)", "MemoryError"),
    "a slow memory bomb": ("x = []\nwhile True: x.append(bytearray(1 << 20))", "MemoryError"),
    "a 10 MB result": ("result = 'x' * 10_000_000", "its result has 10000054 bytes"),
    "deep recursion": ("f = lambda n: f(n + 1)\nf(0)", "RecursionError"),
    "deeper recursion": (
        "import sys\nsys.setrecursionlimit(10**8)\nclass A:\n    def __getattr__(self, n): return getattr(self, n)\nf = lambda n: [f(n + 1)]\nA().x",
        "",
    ),
    "a nested result": ("result = []\nfor _ in range(100000): result = [result]", "RecursionError"),
    "exit": ("raise SystemExit(3)", "SystemExit"),
    "a hard exit": ("import os; os._exit(3)", "its process died (exit 3)"),
    "an interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "an abort": ("import os; os.abort()", "its process died"),
    "a lock for ever": (
        "import _thread; l = _thread.allocate_lock(); l.acquire(); l.acquire()",
        "took longer than 1 s",
    ),
    "garbage on its pipe": (
        "import os\nfor fd in range(3, 9):\n    try: os.write(fd, b'\\xff' * 64)\n    except OSError: pass",
        "it sent 4294967295 bytes",
    ),
    "a false answer": (
        f"b = b'[1]'\n{SEND}",
        "it sent what is no answer",
    ),
    "a false change": (
        f"b = b'{{\"token\": \"' + {TOKEN}.encode() + b'\", \"changes\": {{\"/no/such\": {{\"to\": 1}}}}}}'\n{SEND}",
        "it reported changes that do not fit",
    ),
    "what is no JSON": ("db['x'] = {1, 2}", "NotJsonError"),
}  # fmt: skip


@pytest.mark.parametrize("what", RUNAWAY)
def test_runaway_code_is_a_defect_and_the_next_call_works(what: str, tmp_path: Path):
    code, words = RUNAWAY[what]
    done, after = attacks(tmp_path, code, "result = db['notes']['N1']", without=KERNEL)
    assert done.defect is not None
    assert words in done.defect
    assert done.db is DB
    assert after.value == {"result": "kept"}


def test_a_false_answer_does_not_pass_for_the_next_one(tmp_path: Path):
    forged = f"""b = b'{{"value": "forged"}}'\n{SEND}\nresult = 'true'"""
    found = attacks(tmp_path, forged, "result = 'true'", without=KERNEL)
    assert [each.value for each in found] == [{"result": "true"}] * 2


def test_what_it_prints_goes_nowhere(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    done = attack(tmp_path, "print('hello'); result = 1")
    assert (done.value, done.defect) == ({"result": 1}, None)
    assert capfd.readouterr() == ("", "")


def test_a_tool_that_raises_after_writing_changes_nothing(tmp_path: Path):
    done = attack(tmp_path, "db['notes']['N2'] = 'new'\nraise KeyError('x')")
    assert (done.db is DB, done.changes) == (True, {})
    assert done.defect == "raised SandboxError: KeyError: 'x'"


def test_writes_come_back_as_changes_and_share_the_rest(tmp_path: Path):
    done = attack(tmp_path, "db['notes']['N2'] = 'new'; db['more'] = [1]; del db['notes']['N1']")
    assert done.changes == {
        "/notes/N1": {"from": "kept"}, "/notes/N2": {"to": "new"}, "/more": {"to": [1]},
    }  # fmt: skip
    assert done.db == {"current_date": "2026-08-12", "notes": {"N2": "new"}, "more": [1]}
    assert DB == {"current_date": "2026-08-12", "notes": {"N1": "kept"}}


def test_every_reference_of_the_flight_desk_replays_as_in_this_process():
    here = open_domain("flight_search_desk")
    with Sandbox() as sandbox:
        domain, problems = read_domain(OWN / "flight_search_desk", sandbox.read)
        assert (problems, domain is None) == ([], False)
        assert domain is not None
        assert sandbox.guards == dict.fromkeys(sandbox.guards, "")
        assert [tool.spec for tool in domain.tools.values()] == [tool.spec for tool in here.tools.values()]
        for task in here.tasks:
            mine, theirs = replay(here, task), replay(domain, task)
            assert (mine.final, mine.permitted, mine.problems) == (
                theirs.final,
                theirs.permitted,
                theirs.problems,
            )
            assert [each.value for each in mine.outcomes] == [each.value for each in theirs.outcomes]
        assert check_domain(domain) == []


def test_wrong_arguments_are_told_as_in_this_process():
    here = open_domain("flight_search_desk")
    with Sandbox() as sandbox:
        tools = sandbox.read(OWN / "flight_search_desk" / "tools.py", {})
        for arguments in ({}, {"phone": 3}, {"phone": "1", "more": 2}):
            mine = execute(here.tools, DB, "list_holds", arguments)
            theirs = execute(tools, DB, "list_holds", arguments)
            assert (mine.value, mine.error, mine.defect) == (theirs.value, theirs.error, theirs.defect)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(db: dict) -> dict:\n    return {}\n", "no docstring"),
        ("1 / 0\n", "does not import (ZeroDivisionError: division by zero)"),
        ("def (\n", "does not import (SyntaxError"),
        ("while True: pass\n", "took longer than 1 s"),
        ("import os\nos._exit(0)\n", "its process died (exit 0)"),
        ("raise SystemExit\n", "does not import (SystemExit"),
        ("import requests\n", "does not import (ModuleNotFoundError"),
        ("open('/etc/passwd')\n", "open is not allowed in the sandbox"),
    ],
)
def test_a_bad_file_is_an_error_that_says_why(source: str, words: str, tmp_path: Path):
    path = tmp_path / "tools.py"
    path.write_text(source, encoding="utf-8")
    with Sandbox(Limits(import_s=1.0)) as sandbox, pytest.raises(DomainError) as caught:
        sandbox.read(path, {})
    assert words in str(caught.value)


def test_a_bad_file_does_not_stay(tmp_path: Path):
    bad, good = tmp_path / "bad.py", tmp_path / "tools.py"
    bad.write_text("1 / 0\n", encoding="utf-8")
    good.write_text(SOURCE, encoding="utf-8")
    with Sandbox(SMALL) as sandbox:
        with pytest.raises(DomainError):
            sandbox.read(bad, {})
        tools = sandbox.read(good, {})
        assert execute(tools, DB, "run", {"code": "result = 2"}).value == {"result": 2}


def test_a_process_is_renewed_before_its_time_is_up(tmp_path: Path):
    path = tmp_path / "tools.py"
    path.write_text(SOURCE, encoding="utf-8")
    with Sandbox(Limits(cpu_s=1)) as sandbox:
        tools = sandbox.read(path, {})
        burn = "import time; t = time.process_time()\nwhile time.process_time() < t + 0.4: pass\nresult = 1"
        found = [execute(tools, DB, "run", {"code": burn}) for _ in range(4)]
    assert [(each.value, each.defect) for each in found] == [({"result": 1}, None)] * 4


def test_without_the_wall_for_processes_it_refuses_to_start(tmp_path: Path):
    path = tmp_path / "tools.py"
    path.write_text(SOURCE, encoding="utf-8")
    with Sandbox(without=("seccomp",)) as sandbox, pytest.raises(ConfigError) as caught:
        sandbox.read(path, {})
    assert str(caught.value) == (
        "this system cannot keep generated code from processes (seccomp: left out); use Linux 5.13 or newer on "
        "x86_64 or aarch64, or --allow-weak-sandbox for code that you have read"
    )
    with Sandbox(without=("seccomp",), allow_weak=True) as weak:
        assert list(weak.read(path, {})) == ["run"]
        assert weak.ready()["seccomp"] == "left out"


def test_the_process_ends_with_its_owner(tmp_path: Path):
    path = tmp_path / "tools.py"
    path.write_text(SOURCE, encoding="utf-8")
    with Sandbox(SMALL) as sandbox:
        sandbox.read(path, {})
        process = sandbox._process
        assert process is not None
        assert process.poll() is None
    assert process.poll() == -9
