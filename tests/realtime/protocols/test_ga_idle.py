from __future__ import annotations

import asyncio

from antiphon.models.scripted import Line
from tests.realtime.serving import Client, Noting, Person, served, stack

DETECTION = {"type": "server_vad", "idle_timeout_ms": 1000}


async def test_silence_after_an_answer_is_told_and_answered_again_and_again():
    chat = Noting(Line(match="said nothing", text="Still there?"), Line(text="At nine."))
    async with served(stack(chat=chat)) as server, server.client() as socket:
        client = Client(socket)
        await client.set(audio={"input": {"turn_detection": DETECTION}}, output_modalities=["text"])
        await client.type("When?")
        await client.until("response.done")
        lost = await client.until("input_audio_buffer.timeout_triggered")
        assert 1000 <= lost["audio_end_ms"] - lost["audio_start_ms"] < 1500
        committed = await client.until("input_audio_buffer.committed")
        assert committed["item_id"] == lost["item_id"]
        done = (await client.until("response.done"))["response"]
        assert done["output"][0]["content"][0]["text"] == "Still there?"
        assert chat.asked()[-1] == ("system", "[silence] The person has said nothing for 1 seconds.")
        await client.until("input_audio_buffer.timeout_triggered")


async def test_speech_ends_the_wait():
    async with served(stack([Line(text="At nine.")])) as server, server.client() as socket:
        client = Client(socket)
        await client.set(audio={"input": {"turn_detection": DETECTION}}, output_modalities=["text"])
        person = Person(client.send)
        talking = asyncio.create_task(person.run())
        await client.type("When?")
        await client.until("response.done")
        await asyncio.sleep(0.5)
        person.say(900)
        await client.until("response.done")
        talking.cancel()
        assert "input_audio_buffer.timeout_triggered" not in client.kinds()
