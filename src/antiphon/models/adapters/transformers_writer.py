"""Listening to transformers while it writes: words as they come, the very tokens, and an end on request."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from antiphon.models.ports import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

_HALF = "\ufffd"  # what a tokenizer shows for half a character


class StoppedError(Exception):
    """The reader went away; raised through `generate`, which has no other way out of all its stages."""


class Writer:
    """A streamer, a logits processor and a stopping criterion of one call of `generate`.

    `say` gets more words, in the thread that generates. Log-probabilities are the model's own, before
    temperature and truncation.
    """

    def __init__(self, tokenizer: Any, say: Callable[[str], None], stopped: Event) -> None:
        self.prompt: list[int] = []
        self.completion: list[int] = []
        self._logprobs: list[float] = []
        self._tokenizer = tokenizer
        self._say = say
        self._stopped = stopped
        self._scores: Any = None
        self._from = 0  # where the decoded window begins: a token's spelling may depend on the one before it
        self._said = 0  # how many tokens were said
        self.spoke = False  # whether there was a word

    @property
    def tokens(self) -> Tokens:
        return Tokens(tuple(self.prompt), tuple(self.completion), tuple(self._logprobs))

    @property
    def cut(self) -> bool:
        """Whether the last token is one of the reply, and not the one that ends it."""
        return bool(self.completion) and self.completion[-1] not in self._tokenizer.all_special_ids

    def put(self, value: Any) -> None:
        """Called by `generate`: first with the prompt, then with each token."""
        ids = [int(token) for token in value.reshape(-1)]
        if not self.prompt:
            self.prompt = ids
            return
        self.check(None, None)
        self.completion += ids
        self._logprobs += [float(self._scores[token]) for token in ids]
        self._speak(last=False)

    def end(self) -> None:
        """Called by `generate` when the text is there."""
        self._speak(last=True)

    def score(self, _ids: Any, scores: Any) -> Any:
        """The logits processor: changes nothing."""
        self._scores = importlib.import_module("torch").log_softmax(scores[0].float(), dim=-1)
        return scores

    def check(self, ids: Any, _scores: Any, **_more: Any) -> Any:
        """The stopping criterion. Raises StoppedError once nobody listens any more."""
        if self._stopped.is_set():
            raise StoppedError
        return (
            None if ids is None else ids.new_zeros(ids.shape[0], dtype=importlib.import_module("torch").bool)
        )

    def _speak(self, *, last: bool) -> None:
        before = self._decode(self.completion[self._from : self._said])
        now = self._decode(self.completion[self._from :])
        if len(now) > len(before) and (last or not now.endswith(_HALF)):
            self._say(now[len(before) :])
            self.spoke = True
            self._from, self._said = self._said, len(self.completion)

    def _decode(self, ids: Sequence[int]) -> str:
        return self._tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)


def only(choices: Sequence[str], tokenizer: Any, end: int) -> Callable[[int, Any], list[int]]:
    """A rule for `generate` that allows exactly these texts: for the tokens so far, which may come next.
    The prompt's length is that of the first call."""
    spelt = [[*tokenizer.encode(choice, add_special_tokens=False), end] for choice in choices]
    start: list[int] = []

    def allowed(_batch: int, ids: Any) -> list[int]:
        start[:] = start or [len(ids)]
        so_far = [int(token) for token in ids[start[0] :]]
        at = len(so_far)
        return sorted({word[at] for word in spelt if word[:at] == so_far and len(word) > at}) or [end]

    return allowed
