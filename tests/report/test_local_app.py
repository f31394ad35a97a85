from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import httpx
import pytest

from antiphon.errors import ConfigError, DataError
from antiphon.report.local_app import (
    body_of,
    get,
    html_response,
    json_response,
    local_app,
    new_token,
    open_log,
    post,
    serve,
    sound_response,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

pytest.importorskip("starlette", reason="needs antiphon[server]")

TOKEN = "secret"


@dataclass(frozen=True, slots=True)
class Vote:
    KIND: ClassVar[str] = "vote"
    V: ClassVar[int] = 1
    item: str
    stars: int


async def _page(_: Any) -> Any:
    return html_response("<p>hello")


async def _vote(request: Any) -> Any:
    vote = await body_of(request, Vote)
    if vote.stars > 5:
        raise DataError("votes.jsonl", "no space left")
    return json_response({"kept": vote.item})


def routes(*more: Any) -> list[Any]:
    return [get("/", _page), post("/vote", _vote), *more]


@pytest.fixture
async def client() -> AsyncGenerator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(local_app(routes(), TOKEN))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8123") as opened:
        yield opened


async def test_the_page_is_found_with_its_token_and_not_without(client: httpx.AsyncClient):
    found = await client.get(f"/{TOKEN}/")
    assert (found.status_code, found.text) == (200, "<p>hello")
    assert found.headers["cache-control"] == "no-store"
    assert found.headers["referrer-policy"] == "no-referrer"
    assert [(await client.get(path)).status_code for path in ("/", "/wrong/", "/secretx/")] == [404, 404, 404]


async def test_an_answer_reaches_its_route_as_a_record(client: httpx.AsyncClient):
    done = await client.post(f"/{TOKEN}/vote", json={"item": "a", "stars": 3})
    assert (done.status_code, done.json()) == (200, {"kept": "a"})


@pytest.mark.parametrize(
    ("headers", "problem"),
    [
        ({"host": "evil.example:8123"}, "this page is served to 127.0.0.1 only, not to 'evil.example:8123'"),
        ({"host": "127.0.0.1.evil.example"}, "this page is served to 127.0.0.1 only, not to '127.0.0.1.evil.example'"),
        ({"host": ""}, "this page is served to 127.0.0.1 only, not to ''"),
        ({"origin": "https://evil.example"}, "a page of 'https://evil.example' may not ask here"),
        ({"origin": "null"}, "a page of 'null' may not ask here"),
        ({"origin": "http://127.0.0.1:9999"}, "a page of 'http://127.0.0.1:9999' may not ask here"),
        ({"sec-fetch-site": "cross-site"}, "a page of another site may not ask here"),
    ],
)  # fmt: skip
async def test_another_site_cannot_ask_even_with_the_token(
    client: httpx.AsyncClient, headers: dict[str, str], problem: str
):
    done = await client.post(f"/{TOKEN}/vote", json={"item": "a", "stars": 3}, headers=headers)
    assert (done.status_code, done.json()) == (403, {"error": problem})
    assert done.headers["x-frame-options"] == "DENY"


async def test_a_browser_on_the_page_itself_may_ask(client: httpx.AsyncClient):
    own = {"origin": "http://127.0.0.1:8123", "sec-fetch-site": "same-origin"}
    done = await client.post(f"/{TOKEN}/vote", json={"item": "a", "stars": 3}, headers=own)
    assert done.status_code == 200


async def test_a_route_that_takes_answers_gives_none_to_a_link(client: httpx.AsyncClient):
    assert (await client.get(f"/{TOKEN}/vote")).status_code == 405


async def test_what_does_not_fit_is_refused_in_one_line(client: httpx.AsyncClient):
    for body in (b"{", b'{"item": "a"}', b'{"item": "a", "stars": "three"}', b"x" * (1 << 20) + b"y"):
        done = await client.post(f"/{TOKEN}/vote", content=body)
        assert done.status_code == 400
        assert "\n" not in done.json()["error"]
    full = await client.post(f"/{TOKEN}/vote", json={"item": "a", "stars": 6})
    assert (full.status_code, full.json()) == (500, {"error": "votes.jsonl: no space left"})


async def test_a_sound_is_given_in_the_part_that_a_player_asks_for(tmp_path: Path):
    (tmp_path / "a.flac").write_bytes(b"0123456789")

    async def sound(request: Any) -> Any:
        return sound_response(tmp_path / Path(request.path_params["name"]).name)

    app = local_app(routes(get("/clips/{name}", sound)), TOKEN)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        part = await client.get(f"/{TOKEN}/clips/a.flac", headers={"range": "bytes=2-4"})
        assert (part.status_code, part.content) == (206, b"234")
        assert (await client.get(f"/{TOKEN}/clips/b.flac")).json() == {"error": "no sound b.flac"}


def test_records_of_earlier_sessions_come_first_and_a_torn_one_is_dropped(tmp_path: Path):
    path = tmp_path / "votes" / "votes.jsonl"
    with open_log(path, Vote) as log:
        log.append(Vote("a", 1))
    with path.open("a") as file:
        file.write('{"kind":"vote","v":1,"item":"b","st')
    with open_log(path, Vote) as log:
        assert log.rows == [Vote("a", 1)]
        log.append(Vote("b", 2))
    with open_log(path, Vote) as log:
        assert log.rows == [Vote("a", 1), Vote("b", 2)]


def test_two_writers_of_one_log_are_refused(tmp_path: Path):
    path = tmp_path / "votes.jsonl"
    program = f"""
from pathlib import Path
from antiphon.report.local_app import open_log
from antiphon.score import Score
try:
    with open_log(Path({str(path)!r}), Score): print("opened")
except Exception as error: print(type(error).__name__)
"""
    with open_log(path, Vote):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "ConfigError\n"


def test_a_real_server_answers_and_stops_when_told():
    said: list[str] = []
    ready = threading.Event()

    def app_of(stop: Callable[[], None]) -> Any:
        async def quit_(_: Any) -> Any:
            stop()
            return json_response({"stopped": True})

        return local_app(routes(post("/quit", quit_)), TOKEN)

    def announce(address: str) -> None:
        said.append(address)
        ready.set()

    thread = threading.Thread(target=serve, args=(app_of,), kwargs={"port": 0, "announce": announce})
    thread.start()
    assert ready.wait(10)
    port = int(said[0].rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", f"/{TOKEN}/quit")
    assert json.loads(connection.getresponse().read()) == {"stopped": True}
    connection.close()
    thread.join(10)
    assert not thread.is_alive()


def test_a_port_that_is_taken_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"^port {port} cannot be had \(.+\); choose another --port"):
            serve(lambda _: local_app(routes(), TOKEN), port=port, announce=print)


def test_tokens_differ():
    assert len({new_token() for _ in range(8)}) == 8
    assert len(new_token()) >= 16
