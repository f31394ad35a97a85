from __future__ import annotations

import pytest

from antiphon.cli.main import VERBS
from tests.cli.commands import antiphon, finish, start


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "complete -o nosort -F _antiphon_completion antiphon"),
        ("zsh", "#compdef antiphon"),
        ("fish", "complete --no-files --command antiphon --arguments"),
    ],
)
def test_each_shell_gets_its_script(shell: str, line: str) -> None:
    done = antiphon("completion", shell)
    assert (done.code, line in done.out, "_ANTIPHON_COMPLETE" in done.out) == (0, True, True)


def test_another_shell_is_refused() -> None:
    done = antiphon("completion", "tcsh")
    assert (done.code, "'tcsh' is not one of" in done.complaint) == (2, True)


def test_the_shell_is_told_the_verbs() -> None:
    process = start(_ANTIPHON_COMPLETE="bash_complete", COMP_WORDS="antiphon ", COMP_CWORD="1")
    done = finish(process)
    assert [line.removeprefix("plain,") for line in done.out.splitlines()] == list(VERBS)
