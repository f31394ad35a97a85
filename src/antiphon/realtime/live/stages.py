"""Where the time between the person's last word and the agent's first sound went, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass, field

# In their order; each is told in milliseconds after the person's last sound, None where it did not happen.
NAMES = ("noticed", "understood", "decided", "written", "spoken", "sent")
_KEPT = 64


@dataclass
class Stages:
    """Marks of turns and answers, in microseconds of the session."""

    _turns: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    _answers: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])

    def stopped(self, utterance: str, offset_us: int, now_us: int) -> None:
        """The detector reports the end of speech, which lay at `offset_us`."""
        self._turns[utterance] = {"offset": offset_us, "noticed": now_us}
        for old in list(self._turns)[:-_KEPT]:
            del self._turns[old]

    def understood(self, utterance: str, now_us: int) -> None:
        """The recogniser has its last word."""
        if (turn := self._turns.get(utterance)) is not None:
            turn["understood"] = now_us

    def asked(self, item: str, utterances: tuple[str, ...], now_us: int) -> None:
        """The model is asked, for these utterances."""
        known = [self._turns[name] for name in utterances if name in self._turns]
        # Recognition that ended after the question was put took no time from this answer.
        self._answers[item] = {"decided": now_us} | (known[-1] if known else {})
        for old in list(self._answers)[:-_KEPT]:
            del self._answers[old]

    def wrote(self, item: str, now_us: int) -> None:
        """The model has given words."""
        self._mark(item, "written", now_us)

    def spoke(self, item: str, now_us: int) -> None:
        """Sound exists."""
        self._mark(item, "spoken", now_us)

    def sent(self, item: str, now_us: int) -> dict[str, int] | None:
        """A frame leaves; at the first one of an answer, all stages in ms after the person's last sound,
        or after the question where nobody spoke."""
        answer = self._answers.get(item)
        if answer is None or "sent" in answer:
            return None
        answer["sent"] = now_us
        start_us = answer.get("offset", answer["decided"])
        return {name: max(0, answer[name] - start_us) // 1000 for name in NAMES if name in answer}

    def _mark(self, item: str, stage: str, now_us: int) -> None:
        if (answer := self._answers.get(item)) is not None:
            answer.setdefault(stage, now_us)
