"""Word error rates of the embedded recogniser on recorded people, from three Debian packages.

    python benchmarks/people.py [--json] [--errors]

LibriVox: the five sentences of `pocketsphinx-testdata`. Asterisk: telephone prompts, recordings of
`asterisk-core-sounds-en-wav` by the transcripts of `asterisk-core-sounds-en`. Of its 568 transcribed
prompts 128 have at least six words, no digit ("dial 500" leaves open what is said) and no stage direction
("[this is a simple beep tone]"): those count. Rates are pooled: errors over words, after Antiphon's normaliser and, as `plain`, after nothing but lower-casing and
dropping punctuation, which counts "don't" and "do not", "five" and "5" as different. Compounds written in
two ways ("file name", "filename") count as errors in both.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.audio.files import read
from antiphon.bench.metrics.word_error import word_error
from antiphon.clock import RealClock
from antiphon.errors import AntiphonError
from antiphon.models.catalog import open_transcriber
from antiphon.models.ports import warm
from antiphon.text.align import align

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.models.ports import Transcriber

RECOGNISER = "whisper:base?beam=5"
INSTALL = "apt-get install asterisk-core-sounds-en-wav asterisk-core-sounds-en pocketsphinx-testdata"
LIBRIVOX = Path("/usr/share/pocketsphinx/test/data/librivox")
PROMPTS = Path("/usr/share/asterisk/sounds/en_US_f_Allison")
PROMPT_TEXTS = Path("/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz")
LEAST_WORDS = 6

_SENTENCE = re.compile(r"<s> (?P<words>.+) </s> \((?P<name>.+)\)")
_UNSAID = re.compile(r"[\d\[]")


@dataclass(frozen=True, slots=True)
class Utterance:
    """One recording and the words said in it."""

    name: str
    path: Path
    words: str


@dataclass(frozen=True, slots=True)
class Heard:
    """What the recogniser made of an utterance, and how long it took."""

    utterance: Utterance
    text: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Rate:
    """Word errors of a set, pooled: normalised and `plain`; and the mean time an utterance took."""

    errors: int
    words: int
    plain: float
    utterances: int
    seconds_each: float

    @property
    def value(self) -> float:
        return self.errors / self.words


def librivox() -> list[Utterance]:
    """The five sentences. Raises FileNotFoundError without their package."""
    lines = (LIBRIVOX / "transcription").read_text("utf-8").splitlines()
    found = [match for line in lines if (match := _SENTENCE.fullmatch(line.strip()))]
    return [Utterance(one["name"], LIBRIVOX / f"{one['name']}.wav", one["words"]) for one in found]


def prompts() -> list[Utterance]:
    """The 128 prompts of the rule above, sorted by name. Raises FileNotFoundError without their packages."""
    if not PROMPTS.is_dir():
        raise FileNotFoundError(PROMPTS)
    found: list[Utterance] = []
    for line in gzip.decompress(PROMPT_TEXTS.read_bytes()).decode().splitlines():
        name, _, words = line.partition(": ")
        path = PROMPTS / f"{name}.wav"
        plain = len(words.split()) >= LEAST_WORDS and not _UNSAID.search(words)
        if not line.startswith(";") and plain and path.is_file():
            found.append(Utterance(name, path, words.strip()))
    return sorted(found, key=lambda one: one.name)


SETS: dict[str, Callable[[], list[Utterance]]] = {"librivox": librivox, "asterisk": prompts}


async def hear(transcriber: Transcriber, utterances: Sequence[Utterance]) -> list[Heard]:
    """Recognise one after another; weights are loaded before the first is timed."""
    await warm(transcriber)
    heard: list[Heard] = []
    for one in utterances:
        clip = read(one.path)
        started = time.perf_counter()
        (found,) = await transcriber.transcribe([clip], "en")
        heard.append(Heard(one, found.text, time.perf_counter() - started))
    return heard


def pooled(heard: Sequence[Heard]) -> Rate:
    """The rate over all utterances. Raises ValueError for none."""
    if not heard:
        raise ValueError("no utterances")
    rates = [word_error(one.utterance.words, one.text) for one in heard]
    seconds = sum(one.seconds for one in heard) / len(heard)
    bare = [align(_bare(one.utterance.words), _bare(one.text)) for one in heard]
    plain = sum(one.errors for one in bare) / sum(one.length for one in bare)
    return Rate(sum(one.errors for one in rates), sum(one.total for one in rates), plain, len(heard), seconds)


def _bare(text: str) -> list[str]:
    return re.sub(r"[^\w' ]", " ", text.lower()).split()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object last")
    parser.add_argument("--errors", action="store_true", help="also print each utterance that was misheard")
    options = parser.parse_args()
    try:
        sets = {name: recordings() for name, recordings in SETS.items()}
        transcriber = open_transcriber(RECOGNISER, RealClock())
    except FileNotFoundError as error:
        print(f"{error.filename or error}: no such recordings; {INSTALL}", file=sys.stderr)
        return 2
    except AntiphonError as error:
        print(error, file=sys.stderr)
        return 2
    print(transcriber.name)
    figures: dict[str, float] = {}
    for name, utterances in sets.items():
        heard = asyncio.run(hear(transcriber, utterances))
        rate = pooled(heard)
        print(
            f"{name:10} word error rate {rate.value:6.1%}, plain {rate.plain:6.1%}  ({rate.errors} of {rate.words} words, "
            f"{rate.utterances} utterances, {rate.seconds_each:.2f} s each)"
        )
        if options.errors:
            _print_errors(heard)
        figures |= {
            f"{name}_word_error_rate": round(rate.value, 5),
            f"{name}_plain_word_error_rate": round(rate.plain, 5),
            f"{name}_words": rate.words,
            f"{name}_utterances": rate.utterances,
            f"{name}_seconds_each": round(rate.seconds_each, 3),
        }
    if options.json:
        print(json.dumps(figures))
    return 0


def _print_errors(heard: Sequence[Heard]) -> None:
    for one in heard:
        if wrong := word_error(one.utterance.words, one.text).errors:
            print(f"  {wrong} in {one.utterance.name}\n    said  {one.utterance.words}\n    heard {one.text}")


if __name__ == "__main__":
    raise SystemExit(main())
