"""A loopback endpoint that answers what a test tells it to, faults included."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest


class Server:
    """Answers in the order of `answer` calls; keeps what it was sent.

    An answer is a dict: status, headers, type, and one of json, body or pieces (sent one by one).
    `length` promises more bytes than come, `hang` never ends, `mute` does not even begin.
    """

    def __init__(self):
        self.host = ""
        self.answers: list[dict] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.raw: list[bytes] = []
        self.hung_up = asyncio.Event()

    def answer(self, answer):
        self.answers.append(answer)

    @property
    def bodies(self):
        return [json.loads(raw) for raw in self.raw if raw]

    async def serve(self, reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode().split("\r\n")
                headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines[1:] if line)}
                self.paths.append(lines[0].split()[1])
                self.headers.append(headers)
                self.raw.append(await reader.readexactly(int(headers.get("content-length", 0))))
                if not await self.reply(self.answers.pop(0), reader, writer):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def reply(self, answer, reader, writer) -> bool:
        """Send one answer; whether the connection lives on."""
        pieces = answer.get("pieces") or [answer.get("body", b"")]
        if "json" in answer:
            pieces = [json.dumps(answer["json"]).encode()]
        length = answer.get("length", sum(map(len, pieces)))
        head = [
            f"HTTP/1.1 {answer.get('status', 200)} X",
            f"Content-Type: {answer.get('type', 'application/json')}",
        ]
        head += [f"{key}: {value}" for key, value in answer.get("headers", {}).items()]
        if not answer.get("hang"):
            head.append(f"Content-Length: {length}")
        if not answer.get("mute"):
            writer.write("\r\n".join([*head, "", ""]).encode())
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
        if answer.get("hang"):
            await reader.read()
            self.hung_up.set()
        return "length" not in answer and "hang" not in answer


async def listen(served: Server) -> asyncio.Server:
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    served.host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    return server


@pytest.fixture
async def server():
    served = Server()
    listening = await listen(served)
    yield served
    listening.close()


@pytest.fixture
def server_thread():
    """The same in a thread of its own, for tests that run event loops themselves."""
    served = Server()
    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(listen(served))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield served

    async def stop():
        listening.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    asyncio.run_coroutine_threadsafe(stop(), loop).result(5)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(5)
    loop.close()
