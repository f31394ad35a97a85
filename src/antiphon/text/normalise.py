"""Text as it is spoken, as it is written, and as it can be compared.

Mandarin and English numbers, dates, units and currencies go through wetext (weighted transducers) in both
directions. What it gets wrong is repaired around it, one table line a case. English is compared after
Whisper's English normaliser, which brings numbers in words back to digits: the only direction without
a choice, for "nine one one" and "nine hundred and eleven" are both 911.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal

from antiphon.errors import UnavailableError, unknown
from antiphon.text.markdown import plain
from antiphon.text.script import HAN, runs, simplify

if TYPE_CHECKING:
    from collections.abc import Callable

    from wetext import Normalizer
    from whisper_normalizer.english import EnglishTextNormalizer

Direction = Literal["tn", "itn"]

# Our own rules have a version too: raise it with every change to what these functions return.
RULES = 2
NORMALISER = (
    f"wetext {version('wetext')}, whisper-normalizer {version('whisper-normalizer')}, "
    f"opencc {version('opencc')}, antiphon rules {RULES}"
)

_Rules = tuple[tuple[re.Pattern[str], "str | Callable[[re.Match[str]], str]"], ...]


def _rules(*pairs: tuple[str, str | Callable[[re.Match[str]], str]]) -> _Rules:
    return tuple((re.compile(pattern), becomes) for pattern, becomes in pairs)


def _apply(rules: _Rules, text: str) -> str:
    for pattern, becomes in rules:
        text = pattern.sub(becomes, text)
    return text


_SEPARATED = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?!\d|,\d)")
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}

_DOTTED = re.compile(r"\b(?:[A-Za-z]\.){2,}")  # U.S.A., a.m.

_NUMERAL = "零一二三四五六七八九"
_ZH_TO_WETEXT = _rules(
    (r"(?<=[A-Za-z])-(?=\d)", " "),  # GPT-4: "GPT负四"
    (r"(?<=[\d%])\s*[~～〜–—]\s*(?=\d)", "到"),  # 0.1～0.2: the mark stays
    (r"(?<![\d-])(\d{4})-(?=\d{4}(?![\d-]))", r"\1到"),  # 1990-2000: a subtraction
    (r"(\d+(?:\.\d+)?)\s*‰", r"千分之\1"),  # 3‰: the mark stays
    # Sums: before a measure word "=23个" becomes "等于二三个", "5+3个" "五正三个", and ÷ loses its 以.
    (r"(?<=\d)\s*[=＝]\s*(?=-?\d)", "等于"),
    (r"(?<=\d)\s*-\s*(?=\d+(?:\.\d+)?等于)", "减"),
    (r"(?<=\d)\s*[+＋]\s*(?=\d)", "加"),
    (r"(?<=\d)\s*[×*]\s*(?=\d)", "乘"),
    (r"(?<=\d)\s*÷\s*(?=\d)", "除以"),
)
# Readings of one written number among which a speaker may choose.
_ZH_ONE_READING = _rules(
    ("〇", "零"),
    ("两(?=[百千万亿])", "二"),
    (f"幺(?=[{_NUMERAL}幺])|(?<=[{_NUMERAL}])幺", "一"),
    (f"([{_NUMERAL}十百千万亿点]+)%", r"百分之\1"),
)

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DECADES = {
    "2": "twenties", "3": "thirties", "4": "forties", "5": "fifties",
    "6": "sixties", "7": "seventies", "8": "eighties", "9": "nineties",
}  # fmt: skip
_MONEY = {"$": ("dollar", "cent"), "€": ("euro", "cent"), "£": ("pound", "penny")}


def _day(match: re.Match[str]) -> str:
    day = int(match[2])
    suffix = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{match[1]} {_wetext('en', 'tn').normalize(f'{day}{suffix}')}"


def _sum(match: re.Match[str]) -> str:
    whole, hundredths = int(match[2]), int(match[3])
    unit, part = _MONEY[match[1]]
    parts = "pence" if part == "penny" else f"{part}s"
    return f"{whole} {unit}{'s' * (whole != 1)} and {hundredths} {part if hundredths == 1 else parts}"


_EN_TO_WETEXT = _rules(
    ("’", "'"),
    (r"\b24/7\b", "24 7"),  # "twenty four sevenths"
    (r"\b(\d\d)?([2-9])0s\b", lambda match: f"{match[1] or ''} {_DECADES[match[2]]}".strip()),  # "seconds"
    (
        r"([$€£])(\d+)\.(\d\d)\b(?!\s?(?:[kmb]\b|million|billion|trillion))",
        _sum,
    ),  # "three point five dollars"
    # June 1: "the first of june"
    (rf"\b({_MONTHS}) (\d{{1,2}})\b(?![:./-]?\d| ?%)", _day),
    (rf"(?i)\b({_MONTHS}) (\d{{1,2}})(?:st|nd|rd|th)\b", _day),
)
_EN_TO_WHISPER = _rules(
    (r"(?i)\bo'clock\b", "oclock"),  # the o is taken for a zero
    (r"(?i)\ba(?= (?:hundred|thousand|million|billion)\b)", "one"),
    (r"(?i)\b([ap]) m\b", r"\1m"),
    (r"\s*&\s*", " and "),
    (r"[()\[\]<>]", " "),  # what stands in brackets is dropped, though it was spoken
)

# wetext escapes quotes and backslashes in its output and stumbles over tabs and emoji, so it never sees
# them; and it takes time in proportion to what it reads, so it reads only pieces that need it.
_PIECES = {
    "zh": re.compile(r'((?:[^\S ]|["\\。！？；，、,!?;\U0001f000-\U0001ffff])+)'),
    "en": re.compile(r'((?:[^\S ]|["\\!?;\U0001f000-\U0001ffff])+)'),
}
_NEEDS_WORDS = re.compile(r"[\d$€£¥￥%]")

_HAN = re.compile(f"[{HAN}々]")
_TOKEN = re.compile(f"[{HAN}々]|[^\\W_{HAN}々]+")


@lru_cache(maxsize=4)
def _wetext(language: str, direction: Direction) -> Normalizer:
    try:
        from wetext import Normalizer
    except ImportError as error:
        raise UnavailableError("text normalisation needs wetext", "pip install antiphon") from error
    return Normalizer(lang=language, operator=direction)


@lru_cache(maxsize=1)
def _whisper() -> EnglishTextNormalizer:
    from whisper_normalizer.english import EnglishTextNormalizer

    return EnglishTextNormalizer()


def spoken(text: str, language: str) -> str:
    """How a text is read aloud: numbers, dates, units in words; Markdown gone; punctuation kept.

    `language` is "zh" or "en" and says how numbers are read; ConfigError for any other.
    """
    _check(language)
    return _in_words(_without_separators(plain(text)), language)


def written(text: str, language: str) -> str:
    """How a text is usually written: "一百二十三" becomes 123, "twenty first" 21st. ConfigError as `spoken`."""
    _check(language)
    return _transduce(text, language, "itn")


def comparable(text: str, language: str) -> str:
    """The one spelling of everything that sounds the same; strict error rates count on it.

    zh: Simplified Han without marks, numbers in characters, each Latin word lower-case between spaces.
    en: lower case, numbers in digits, American spelling, contractions resolved; Han in it as under zh.
    Both: no Markdown, no thousands separators, half width, no punctuation. ConfigError as `spoken`.
    """
    return "".join(_spaced(words(text, language)))


def words(text: str, language: str) -> list[str]:
    """The units of `comparable`: each Han character, and each word of anything else."""
    _check(language)
    return list(_words(text, language))


@lru_cache(maxsize=512)  # several metrics ask for the same reply in turn
def _words(text: str, language: str) -> tuple[str, ...]:
    bare = plain(text)
    if language == "zh":
        return tuple(_zh_words(bare))
    found: list[str] = []
    for run in runs(bare):
        found += _zh_words(run.text) if _HAN.search(run.text) else _en_words(run.text)
    return tuple(found)


def _check(language: str) -> None:
    if language not in _PIECES:
        raise unknown("language", language, _PIECES)


def _zh_words(text: str) -> list[str]:
    text = _without_separators(text).translate(_HALF_WIDTH)  # in this order: ，separates sentences only
    text = _apply(_ZH_ONE_READING, _in_words(simplify(text), "zh"))
    return _TOKEN.findall(_folded(text.replace("'", "").replace("’", "")))


def _en_words(text: str) -> list[str]:
    text = _in_words(_without_separators(text).translate(_HALF_WIDTH), "en")
    found = _whisper()(_apply(_EN_TO_WHISPER, text)).split()
    return [word for word in found if any(character.isalnum() for character in word)]


def _in_words(text: str, language: str) -> str:
    text = _DOTTED.sub(lambda letters: letters[0].replace(".", ""), text)
    text = _apply(_ZH_TO_WETEXT if language == "zh" else _EN_TO_WETEXT, text)
    return _transduce(text, language, "tn")


def _without_separators(text: str) -> str:
    return _SEPARATED.sub(lambda number: number[0].replace(",", ""), text)


def _transduce(text: str, language: str, direction: Direction) -> str:
    pieces = _PIECES[language].split(text)
    pieces[::2] = [_one(piece, language, direction) for piece in pieces[::2]]
    return "".join(pieces)


def _one(piece: str, language: str, direction: Direction) -> str:
    core = piece.strip()
    if not core or (direction == "tn" and not _NEEDS_WORDS.search(core)):
        return piece
    before, after = piece.split(core, 1)
    try:
        return f"{before}{_wetext(language, direction).normalize(core)}{after}"
    except AssertionError:  # how wetext says that its grammar has no reading for this
        return piece


def _folded(text: str) -> str:
    """Lower case without accents (café, Rǔzhōng), compatibility forms resolved."""
    marked = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(c for c in marked if not unicodedata.combining(c)))


def _spaced(tokens: list[str]) -> list[str]:
    spaced: list[str] = []
    for token in tokens:
        if spaced and not (_HAN.match(spaced[-1]) and _HAN.match(token)):
            spaced.append(" ")
        spaced.append(token)
    return spaced
