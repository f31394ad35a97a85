"""An answer that was cut and goes on is told to the client with all the words that it still says."""

from __future__ import annotations

from antiphon.realtime import events
from antiphon.realtime.protocols import ga_session
from antiphon.realtime.protocols.ga_out import Narrator


def test_the_rest_of_a_cut_answer_is_told_clause_by_clause_and_an_answer_only_as_it_is_written():
    said: list = []
    narrator = Narrator(said.append, ga_session.fresh("s", "m", "v", 0), duplex=False)
    narrator.effect(events.StartAnswer("answer-1", 1, "item-1", (), (), "a turn"))
    narrator.words("item-1", "One two. Three four. ")
    narrator.effect(events.Render("item-1.0", 1, "item-1", "One two."))
    narrator.effect(events.Said("item-1", "One two. Three four. ", 4, 100, "interrupted"))
    for place, clause in enumerate(("two. ", "Three four. ", "Five six.")):
        narrator.effect(events.Render(f"item-2.{place}", 1, "item-2", clause))
    narrator.words("item-1", "Five six.")  # the model still writes; its clause above tells it
    texts: dict[str, str] = {}
    for event in said:
        if type(event).__name__ == "TranscriptDelta":
            texts[event.item_id] = texts.get(event.item_id, "") + event.delta
    assert texts == {"item-1": "One two. Three four. ", "item-2": "two. Three four. Five six."}
