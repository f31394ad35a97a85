"""Lanes on a Ray cluster: one actor per worker. Rows come back to this process, which alone writes."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from antiphon.errors import ConfigError, UnavailableError
from antiphon.stage.lanes import REPLACEMENTS, Stopped, answer, lost

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.stage.lanes import Lane
    from antiphon.stage.outcome import OpenWorker, Outcome, Worker

T = TypeVar("T")
_KNOCK_S = 5.0


@asynccontextmanager
async def open_actors(
    open_worker: OpenWorker[T], cluster: str, actors: int, in_flight: int
) -> AsyncGenerator[list[Lane[T]]]:
    """`in_flight` lanes in each of `actors` actors on the cluster at `cluster`; "local" starts one here.

    Raises UnavailableError without Ray, ConfigError for a cluster that does not answer or whose actors
    keep dying.
    """
    ray = _ray()
    started = not ray.is_initialized()
    if started:
        await _check_reachable(cluster)
        _connect(ray, cluster)
    remote = ray.remote(max_concurrency=in_flight + 1)(_Actor)
    crew = [remote.remote(open_worker) for _ in range(actors)]
    deaths = [0] * actors

    async def perform(index: int, records: Sequence[T]) -> list[Outcome]:
        actor = crew[index]
        try:
            reply: list[Outcome] | Stopped = await actor.perform.remote(records)
        except ray.exceptions.RayActorError as error:
            how = str(error).strip().splitlines()[0]
            if crew[index] is actor:  # the first of its lanes to notice
                deaths[index] += 1
                crew[index] = remote.remote(open_worker)
            if deaths[index] > REPLACEMENTS:
                raise ConfigError(
                    f"a worker on the cluster {cluster} died {deaths[index]} times (last: {how}); finished "
                    "rows are kept: resume with fewer --workers or on larger nodes"
                ) from None
            return lost(len(records), how)
        if isinstance(reply, Stopped):
            raise reply.error()
        return reply

    try:
        yield [partial(perform, index) for index in range(actors) for _ in range(in_flight)]
    finally:
        for actor in crew:
            ray.kill(actor)
        if started:
            await asyncio.to_thread(ray.shutdown)


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise UnavailableError("--cluster needs ray", "pip install 'antiphon[ray]'") from error
    return ray


async def _check_reachable(cluster: str) -> None:
    """Knock at `host:port` first: Ray itself takes minutes to notice that nobody is there."""
    place = urlsplit(cluster if "//" in cluster else f"//{cluster}")
    try:
        if place.hostname is None or place.port is None:
            return  # "local", "auto"
        async with asyncio.timeout(_KNOCK_S):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.close()
    except (OSError, ValueError) as error:
        raise _no_cluster(cluster, error) from error


def _no_cluster(cluster: str, error: Exception) -> ConfigError:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return ConfigError(f"no Ray cluster at {cluster!r} ({reason}); give its address, or 'local' for one here")


def _connect(ray: Any, cluster: str) -> None:
    here = cluster == "local"
    try:
        ray.init(
            address="local" if here else cluster,
            logging_level="warning",
            **({"include_dashboard": False} if here else {}),
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise _no_cluster(cluster, error) from error


class _Actor:
    """One worker on a node, opened by its first batch. One task owns it from opening to closing."""

    def __init__(self, open_worker: OpenWorker[Any]) -> None:
        self._open_worker = open_worker
        self._ready: asyncio.Future[Worker[Any]] | None = None
        self._owner: asyncio.Task[None] | None = None

    async def perform(self, records: Sequence[Any]) -> list[Outcome] | Stopped:
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._owner = asyncio.create_task(self._own(self._ready))
        try:
            worker = await asyncio.shield(self._ready)
        except Exception as error:  # noqa: BLE001  the boundary of a process: the parent raises it again
            return Stopped.of(error)
        return await answer(worker, records)

    async def _own(self, ready: asyncio.Future[Worker[Any]]) -> None:
        try:
            async with self._open_worker() as worker:
                ready.set_result(worker)
                await asyncio.Event().wait()  # until the actor goes
        except Exception as error:  # noqa: BLE001  whoever waits for the worker raises it
            ready.set_exception(error)
