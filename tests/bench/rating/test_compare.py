from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.folder import RunFolder
from antiphon.bench.rating.compare import compare_raters
from antiphon.bench.rating.ratings import Rating, path_of, response_of
from antiphon.bench.takes import Judged, Said, Take
from antiphon.errors import ConfigError
from antiphon.judge.agreement import agreement

WORDS = {"a": "one", "b": "three words here", "c": "two words", "d": "x"}


def run(path: Path, judged: list[Judged], **raters: dict[str, bool | float]) -> RunFolder:
    folder = RunFolder(path)
    folder.write(
        folder.takes,
        [Take(item, "s", None, 0.0, (Said(text, None, 0.0, "stop", None),)) for item, text in WORDS.items()],
    )
    folder.write(folder.judgements, judged)
    for rater, values in raters.items():
        folder.write(
            path_of(folder, rater),
            [
                Rating(item, "m", rater, "p@1", response_of(WORDS[item]), "2026-01-01T00:00:00+00:00", value)
                for item, value in values.items()
            ],
        )
    return folder


def test_raters_against_the_judge_and_each_other(tmp_path: Path) -> None:
    judged = [Judged(item, "m", "j", "p@1", item != "b", "") for item in "abc"]
    judged.append(Judged("d", "m", "j", "p@1", None, "?", "invalid", "no verdict"))
    folder = run(
        tmp_path,
        judged,
        ann={"a": True, "b": False, "c": False, "d": True},
        bob={"a": True, "b": True},
    )
    found = {(one.given, one.truth): one for one in compare_raters([folder])}
    assert list(found) == [("judge", "ann"), ("judge", "bob"), ("bob", "ann")]
    assert found["judge", "ann"].metric == "m, yes/no"
    assert found["judge", "ann"].agreement == agreement(
        [True, False, False, True], [True, False, True, None], [3, 16, 9, 1]
    )
    assert found["judge", "bob"].agreement == agreement([True, True], [True, False], [3, 16])
    assert found["bob", "ann"].agreement == agreement([True, False], [True, True], [3, 16])


def test_two_runs_count_together(tmp_path: Path) -> None:
    folders = [
        run(tmp_path / name, [Judged("a", "m", "j", "p@1", 4.0, "[4]")], ann={"a": score})
        for name, score in (("one", 4.0), ("two", 2.0))
    ]
    (found,) = compare_raters(folders)
    assert (found.metric, found.agreement.n, found.agreement.exact.k) == ("m, score", 2, 1)


def test_a_rating_of_words_that_are_gone_does_not_count(tmp_path: Path) -> None:
    folder = run(tmp_path, [Judged("a", "m", "j", "p@1", True, "")], ann={"a": True})
    folder.write(folder.takes, [Take("a", "s", None, 0.0, (Said("other", None, 0.0, "stop", None),))])
    with pytest.raises(ConfigError, match=f"nobody has rated replies of {tmp_path}; antiphon judge rate RUN"):
        compare_raters([folder])
