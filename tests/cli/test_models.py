from __future__ import annotations

from antiphon.models.catalog import PORTS, entries
from tests.cli.commands import antiphon


def test_the_list_names_every_scheme_under_its_port() -> None:
    done = antiphon("models", "list")
    assert done.code == 0
    assert [line for line in done.out.splitlines() if line.endswith(":") and " " not in line] == [
        f"{port}:" for port in PORTS
    ]
    for entry in entries():
        assert entry.example in done.out
    assert max(map(len, done.out.splitlines())) <= 100


def test_the_list_is_a_list_for_programs() -> None:
    rows = antiphon("models", "list", "--json").json
    assert {row["scheme"] for row in rows if row["port"] == "scorer"} == {
        "distillmos", "dnsmos", "emotion2vec", "scripted", "utmos22", "utmosv2",
    }  # fmt: skip


def test_a_model_that_works_says_what_it_answered() -> None:
    done = antiphon("models", "check", "scripted:echo")
    assert done.code == 0
    assert done.out.startswith(
        "scripted:echo works as chat (scripted:echo 3 s at 24000 Hz): 'hello' and 3.0 s of speech"
    )


def test_a_model_that_does_not_work_says_why_and_exits_with_one() -> None:
    done = antiphon("models", "check", "openai+http://127.0.0.1:9/v1?attempts=1#m")
    assert done.code == 1
    assert "does not work" in done.out
    assert "nothing answers at 127.0.0.1:9; start the server or correct the address" in done.out
    unknown = antiphon("models", "check", "nosuch:x", "--json")
    assert (unknown.code, unknown.json["works"]) == (1, False)
    assert "no scheme 'nosuch:'; there are: cascade:, cosyvoice:, dashscope:," in unknown.json["said"]
