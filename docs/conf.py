"""How `make docs` builds the pages: Markdown through MyST, every warning an error."""

from __future__ import annotations

project = "Antiphon"
author = "The Antiphon authors"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nitpicky = True
html_theme = "furo"
html_title = "Antiphon"
html_copy_source = False
