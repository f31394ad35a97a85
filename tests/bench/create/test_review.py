from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from antiphon.bench.create.created import load
from antiphon.bench.create.decisions import Decision, log_path, read_decisions
from antiphon.bench.create.review import Answer, Review, open_review
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError
from antiphon.report.local_app import open_log
from tests.bench.create.studio import QUESTIONS, perform, plan, source
from tests.bench.test_page_in_a_browser import PROGRAM, Browser

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Iterator
    from pathlib import Path

    from antiphon.bench.create.created import Created

pytest.importorskip("starlette", reason="needs antiphon[server]")

AT = "2000-01-01T00:00:00+00:00"


@pytest.fixture
def made(tmp_path: Path, own_cache: Path) -> Created:
    """Three drafts to verify, one that no model could translate."""
    wanted = plan(tmp_path)
    source(
        tmp_path,
        [
            *QUESTIONS[1:],
            {"id": "q0", "question": "Who wrote the <b>Iliad</b>?", "answer": "Homer", "subset": "knowledge"},
        ],
    )
    chat = (tmp_path / "writer.jsonl").read_text("utf-8")
    (tmp_path / "writer.jsonl").write_text(
        '{"match": "Iliad", "text": "当然可以！"}\n' + chat, encoding="utf-8"
    )
    perform(wanted, tmp_path / "out")
    return load(tmp_path / "out")


@contextmanager
def session(made: Created) -> Generator[Review]:
    with open_log(log_path(made.folder), Decision) as log:
        yield Review(made, log, VirtualClock())


@pytest.fixture
def review(made: Created) -> Iterator[Review]:
    with session(made) as opened:
        yield opened


@pytest.fixture
async def client(review: Review) -> AsyncGenerator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(review.app("t", lambda: None))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000/t/") as opened:
        yield opened


def shown(made: Created, item: str) -> dict[str, str]:
    return {"item": item, "seen": next(draft.shown for draft in made.drafts if draft.id == item)}


async def test_a_decision_is_on_the_disk_before_it_is_answered(made: Created, client: httpx.AsyncClient):
    done = await client.post("decisions", json={**shown(made, "q2"), "action": "accept"})
    assert done.json() == {"kept": 1, "left": 3}
    assert read_decisions(made.folder).status(made.drafts[0]) == "accepted"
    text = log_path(made.folder).read_text("utf-8")
    assert text.count("\n") == 1
    assert f'"item":"q2","action":"accept","at":"{AT}"' in text


async def test_what_keeps_a_question_out_comes_first_and_every_word_is_escaped(client: httpx.AsyncClient):
    html = (await client.get("")).text
    assert html.index('data-item="q0"') < html.index('data-item="q2"')
    assert "<b>Iliad</b>" not in html
    assert "Who wrote the &lt;b&gt;Iliad&lt;/b&gt;?" in html
    assert "not translated: a line that nobody asked for: &#39;当然可以！&#39;" in html
    assert "<strong>Scripted</strong>" in html
    assert "connect-src &#39;self&#39;" in html
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")


async def test_only_sounds_of_this_creation_are_given(made: Created, client: httpx.AsyncClient):
    clip = made.drafts[0].spoken.clip
    assert (await client.get(f"clips/{clip}.flac")).content[:4] == b"fLaC"
    assert (await client.get("clips/0000.flac")).status_code == 404
    assert (await client.get("clips/..%2f..%2fcreate.json.flac")).status_code == 404


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"item": "q9", "action": "accept", "seen": "x"}, "nothing with the id 'q9' waits here"),
        ({"item": "q2", "action": "accept", "seen": "x"}, "q2 is not what it was when the page was opened; open it again"),
        ({"item": "nobody", "action": "clean"}, "no voice 'nobody' here"),
        ({"item": "q2", "action": "praise"}, "the answer does not fit: Invalid enum value 'praise' - at `$.action`"),
        ({"item": "q2", "action": "accept", "more": 1}, "the answer does not fit: Object contains unknown field `more`"),
    ],
)  # fmt: skip
async def test_a_decision_that_fits_nothing_is_refused(
    client: httpx.AsyncClient, answer: dict[str, Any], problem: str
):
    done = await client.post("decisions", json=answer)
    assert (done.status_code, done.json()) == (400, {"error": problem})


@pytest.mark.parametrize(
    ("item", "more", "problem"),
    [
        ("q0", {"action": "accept"}, "q0 cannot be accepted: there is nothing to speak; edit or reject it"),
        ("q2", {"action": "edit", "question": " ", "answer": "长江"}, "an edited question cannot be empty"),
        ("q2", {"action": "edit", "question": "谁？", "answer": ""}, "chinese_knowledge needs an answer"),
        ("q2", {"action": "edit", "question": "谁？", "answer": "我", "subset": "safety"}, "q2 cannot become 'safety'"),
        ("q4", {"action": "edit", "question": "谁？", "answer": "我", "subset": "general_knowledge"}, "q4 cannot become"),
    ],
)  # fmt: skip
def test_what_could_not_be_spoken_or_read_back_is_refused(
    made: Created, review: Review, item: str, more: dict[str, Any], problem: str
):
    with pytest.raises(ConfigError) as caught:
        review.keep(Answer(**shown(made, item), **more))
    assert str(caught.value).startswith(problem)
    assert read_decisions(made.folder).of_drafts == {}


def test_earlier_decisions_show_again(made: Created):
    with session(made) as review:
        review.keep(Answer(**shown(made, "q2"), action="reject"))
        review.keep(Answer("", "full"))
    with session(made) as review:
        assert review.left == 3
        html = review.html()
    assert 'data-decided="reject" aria-label="q2"' in html
    assert 'data-voice="" data-decided="full"' in html


def test_a_long_review_is_given_in_parts_the_undecided_first(made: Created, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("antiphon.bench.create.review._AT_ONCE", 2)
    with session(made) as review:
        assert "4 of 4 questions wait for a person; the first 2 are here" in review.html()
        for item in ("q0", "q2"):
            review.keep(Answer(**shown(made, item), action="reject"))
        html = review.html()
    assert [item for item in ("q0", "q2", "q3", "q4") if f'data-item="{item}"' in html] == ["q3", "q4"]


def test_a_review_that_is_open_already_is_not_opened_twice(made: Created):
    program = (
        "from pathlib import Path; from antiphon.bench.create.created import load; "
        f"from antiphon.bench.create.review import open_review; open_review(load(Path({str(made.folder)!r})), 0, print)"
    )
    with session(made):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "is being written by process" in done.stderr.splitlines()[-1]
    assert done.stdout == ""


class Served:
    """A review served by a thread, for a browser."""

    def __init__(self, made: Created) -> None:
        self.url = ""
        ready = threading.Event()

        def announce(url: str) -> None:
            self.url = url
            ready.set()

        self.thread = threading.Thread(target=open_review, args=(made, 0, announce))
        self.thread.start()
        assert ready.wait(20)


@pytest.mark.skipif(PROGRAM is None, reason="no Chromium here (Debian: apt-get install chromium)")
def test_the_page_in_a_real_browser_by_keyboard_alone(made: Created, tmp_path: Path):
    served = Served(made)
    browser = Browser(tmp_path / "profile")
    try:
        browser.visit(served.url)
        assert browser.ask("document.querySelector('.case.here').dataset.item") == "q0"
        browser.press("a")  # there is nothing to accept: the button is off
        browser.press("x")
        _until(browser, "document.querySelector('.case.here').dataset.item == 'q2'")
        browser.press(" ")
        _until(browser, "document.querySelector('.case.here .player').classList.contains('playing')")
        browser.press("a")
        _until(browser, "document.querySelector('.case.here').dataset.item == 'q3'")
        browser.press("e")
        assert browser.ask("document.activeElement.name") == "question"
        browser.ask(
            "document.activeElement.value = '哪个数是质数，四还是七？', document.activeElement.form.requestSubmit()"
        )
        _until(browser, "document.querySelector('.case.here').dataset.item == 'q4'")
        browser.ask("document.querySelector('[data-hearing=clean]').click()")
        _until(browser, "document.querySelector('[data-hearing=clean]').ariaChecked == 'true'")
        assert browser.ask("document.querySelector('#left').textContent") == "1 left"
        browser.narrow()
        assert browser.ask("document.documentElement.scrollWidth") <= 360
        assert all(url.startswith(served.url) for url in browser.requests if not url.startswith("data:"))
        browser.ask("document.querySelector('#finish').click()")
        served.thread.join(20)
        assert not served.thread.is_alive()
    finally:
        browser.close()
    decisions = read_decisions(made.folder)
    by_id = {draft.id: draft for draft in made.drafts}
    assert [decisions.status(by_id[item]) for item in ("q0", "q2", "q4")] == [
        "rejected",
        "accepted",
        "unverified",
    ]
    assert decisions.edited(by_id["q3"]).question == "哪个数是质数，四还是七？"
    assert decisions.of_voices == {"": "clean"}


def _until(browser: Browser, condition: str) -> None:
    """Wait inside the page, which paints when it likes."""
    assert browser.ask(
        "new Promise((done) => { const end = performance.now() + 10000; const look = () => "
        f"({condition}) ? done(true) : performance.now() > end ? done(false) : setTimeout(look, 20); look(); }})"
    ), condition
