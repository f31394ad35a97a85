"""A page as one self-contained HTML text: templates, one stylesheet, one script, and no network."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from antiphon.text.script import HAN

if TYPE_CHECKING:
    from collections.abc import Mapping

_HERE = "antiphon.report"
_HAN = re.compile(f"[{HAN}]")


def stylesheet() -> str:
    """The one stylesheet."""
    return files(_HERE).joinpath("theme.css").read_text("utf-8")


def script() -> str:
    """The one script."""
    return files(_HERE).joinpath("page.js").read_text("utf-8")


def lang(text: str) -> str:
    """The `lang` of a text on a page: "zh" with any Han character, so that the right glyphs are chosen."""
    return "zh" if _HAN.search(text) else "en"


def policy(code: str, *, talks: bool = False) -> str:
    """The page's own content security policy: it runs this script only, and loads nothing but its sounds.

    Even text that escaped wrongly could then neither run nor call out. A page that `talks` may also ask
    the server that it came from, and no other.
    """
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    asks = "connect-src 'self'; " if talks else ""
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; {asks}style-src 'unsafe-inline'; "
        "media-src 'self' file: data:; img-src data:; base-uri 'none'; form-action 'none'"
    )


def render(package: str, template: str, values: Mapping[str, Any], *, own_script: str = "") -> str:
    """Fill a template of `package` (its folder `templates`), which may use the kit's own.

    Every value is escaped; a name that the template misses is an error, not an empty string.
    `own_script` runs after the kit's: with it the page may talk to the server that it came from.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(_HERE)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["lang"] = lang
    code = script() + own_script
    shield = policy(code, talks=bool(own_script))
    kit = {"css": Markup(stylesheet()), "js": Markup(code), "policy": shield}
    return environment.get_template(template).render(**kit, **values)
