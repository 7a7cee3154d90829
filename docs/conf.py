"""Sphinx: the pages here, and pages generated from the registries (docs/generated, not kept)."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import pages  # noqa: E402

import modmul  # noqa: E402

project = "modmul"
author = "the modmul authors"
version = release = modmul.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"  # loads nothing from another host
html_title = f"modmul {version}"
html_static_path = ["static"]
html_css_files = ["tables.css"]
html_copy_source = False
html_show_sphinx = False
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
autodoc_typehints = "description"
autodoc_member_order = "bysource"
suppress_warnings = ["config.cache"]

pages.write(HERE / "generated")
