from __future__ import annotations

import socket
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.clock import RealClock
from antiphon.errors import DataError
from antiphon.models.weights import transports
from antiphon.models.weights.transports import AbsentError, Folder, Upstream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BIG = "/toy/resolve/1/big.bin"


@pytest.fixture
def blackholes() -> Iterator[list[str]]:
    """Addresses that take connections and never say a word."""
    with ExitStack() as stack:
        listeners = [stack.enter_context(socket.socket()) for _ in range(4)]
        for listener in listeners:
            listener.bind(("127.0.0.1", 0))
            listener.listen(16)
        yield [f"http://127.0.0.1:{listener.getsockname()[1]}" for listener in listeners]


def test_upstream_is_asked_for_the_pinned_revision_at_the_endpoint_in_the_environment(
    toy: Any, server: Any, tmp_path: Path, notes: Any
) -> None:
    server.files[BIG] = toy.big
    way = Upstream({"HF_ENDPOINT": f"{server.url}/"})
    way.bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)
    assert (tmp_path / "part").read_bytes() == toy.big
    assert server.asked == [(BIG, None)]
    assert notes.moves[-1] == ("big.bin", "127.0.0.1", len(toy.big), len(toy.big))


def test_a_download_goes_on_where_an_earlier_process_stopped(
    toy: Any, server: Any, tmp_path: Path, notes: Any
) -> None:
    server.files[BIG] = toy.big
    (tmp_path / "part").write_bytes(toy.big[:4000])
    Upstream({"HF_ENDPOINT": server.url}).bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)
    assert (tmp_path / "part").read_bytes() == toy.big
    assert server.asked == [(BIG, "bytes=4000-")]


def test_a_connection_that_breaks_is_resumed_at_the_byte_where_it_broke(
    toy: Any, server: Any, tmp_path: Path, notes: Any
) -> None:
    server.files[BIG] = toy.big
    server.breaks_after = [3000, 2000]
    Upstream({"HF_ENDPOINT": server.url}).bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)
    assert (tmp_path / "part").read_bytes() == toy.big
    assert server.asked == [(BIG, None), (BIG, "bytes=3000-"), (BIG, "bytes=5000-")]


def test_a_connection_that_always_breaks_is_given_up_and_what_came_is_kept(
    toy: Any, server: Any, tmp_path: Path, notes: Any
) -> None:
    server.files[BIG] = toy.big
    server.breaks_after = [10] * 9
    with pytest.raises(AbsentError, match="broke off 5 times, at 50 of 10240 bytes"):
        Upstream({"HF_ENDPOINT": server.url}).bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)
    assert (tmp_path / "part").read_bytes() == toy.big[:50]


def test_a_server_without_ranges_starts_over_and_nothing_is_doubled(
    toy: Any, server: Any, tmp_path: Path, notes: Any
) -> None:
    server.files[BIG] = toy.big
    server.ranges = False
    (tmp_path / "part").write_bytes(toy.big[:4000])
    Upstream({"HF_ENDPOINT": server.url}).bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)
    assert (tmp_path / "part").read_bytes() == toy.big


def test_an_endless_answer_is_cut_once_it_cannot_be_the_file(
    toy: Any, server: Any, tmp_path: Path, notes: Any
) -> None:
    server.files[BIG] = b"x" * (5 << 20)
    Upstream({"HF_ENDPOINT": server.url}).bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)
    assert len(toy.big) < (tmp_path / "part").stat().st_size <= 2 << 20


def test_a_missing_file_says_what_the_server_said(toy: Any, server: Any, tmp_path: Path, notes: Any) -> None:
    with pytest.raises(AbsentError, match=r"127\.0\.0\.1 answers 404 for big\.bin"):
        Upstream({"HF_ENDPOINT": server.url}).bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)


def test_a_silent_hub_is_waited_for_once(toy: Any, blackholes: list[str], tmp_path: Path, notes: Any) -> None:
    clock = RealClock()
    way = Upstream({"HF_ENDPOINT": blackholes[0]}, clock, budget_s=0.5, probe_s=0.2)
    for patience_us in (400_000, 50_000):  # the second time nobody waits
        start_us = clock.mono_us()
        with pytest.raises(AbsentError, match=r"did not answer within 0\.2 s|timed out"):
            way.bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)
        assert clock.mono_us() - start_us < patience_us


def test_all_silent_hosts_together_cost_no_more_than_the_budget(blackholes: list[str]) -> None:
    clock = RealClock()
    way = Upstream({}, clock, budget_s=0.5, probe_s=0.2)
    start_us = clock.mono_us()
    problems = [way._problem(f"{address}/x") for address in blackholes]
    assert clock.mono_us() - start_us < 700_000
    assert problems[-1] == "not asked, other hosts used up the five seconds"
    assert transports.UNREACHABLE_BUDGET_S == 5.0


def test_a_closed_port_is_refused_at_once(toy: Any, tmp_path: Path, notes: Any) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(AbsentError, match="refused"):
            Upstream({"HF_ENDPOINT": url}).bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)


def test_offline_mode_of_the_hub_is_honoured(toy: Any, server: Any, tmp_path: Path, notes: Any) -> None:
    way = Upstream({"HF_ENDPOINT": server.url, "HF_HUB_OFFLINE": "1"})
    with pytest.raises(AbsentError, match="HF_HUB_OFFLINE is set"):
        way.bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)
    assert server.asked == []


def test_a_full_disk_is_named_and_not_taken_for_a_missing_file(
    toy: Any, server: Any, tmp_path: Path, notes: Any
) -> None:
    server.files[BIG] = toy.big
    (tmp_path / "part").symlink_to("/dev/full")
    with pytest.raises(DataError, match="No space left on device"):
        Upstream({"HF_ENDPOINT": server.url}).bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)


def test_a_folder_without_the_file_says_so(toy: Any, tmp_path: Path, notes: Any) -> None:
    with pytest.raises(AbsentError, match=r"holds no big\.bin"):
        Folder(tmp_path).bring(toy.weight, toy.weight.files[0], tmp_path / "part", notes)
