from __future__ import annotations

import base64
import hashlib

import jinja2
import pytest

from antiphon.report.page import policy, render, script


def test_the_policy_admits_the_pages_own_script_and_nothing_else() -> None:
    digest = base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()
    assert policy(script()).split("; ")[:2] == ["default-src 'none'", f"script-src 'sha256-{digest}'"]


def test_a_forgotten_value_is_an_error_and_not_an_empty_page() -> None:
    with pytest.raises(jinja2.UndefinedError):
        render("antiphon.bench", "run.html", {})


def test_style_and_script_cannot_end_their_own_elements() -> None:
    html = render("antiphon.report", "page.html", {})
    assert (html.count("</style>"), html.count("</script>")) == (1, 1)


def test_only_a_page_with_a_script_of_its_own_may_talk_to_its_server():
    assert "connect-src" not in policy(script())
    assert "connect-src 'self'; " in policy(script(), talks=True)
