"""Checks built pages: `python -m docs.html_check build/docs` prints faults; exit code 1 if any.

Every link and every target of one exists, headings are in order, each page has one title and a
viewport for phones, each picture a text, and nothing is loaded from another host."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
_TEMPLATES = {"genindex.html", "search.html", "py-modindex.html"}  # of the theme, not of the pages


class Page(HTMLParser):
    """What a page has of links, targets, headings, pictures and loaded files."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.targets: set[str] = set()
        self.headings: list[int] = []
        self.without_text: list[str] = []
        self.viewport = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.targets |= {values[name] for name in ("id", "name") if name in values}
        self.viewport |= tag == "meta" and values.get("name") == "viewport"
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if (name := _LOADED.get(tag)) and name in values:
            self.loaded.append(values[name])
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.headings.append(int(tag[1]))
        if tag == "img" and not values.get("alt"):
            self.without_text.append(values.get("src", ""))


def wrong(folder: Path) -> Iterator[str]:
    """One sentence for each fault of the pages in a folder."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    if not pages:
        yield f"{folder}: no pages"
    for path, page in pages.items():
        name = path.relative_to(folder).as_posix()
        if name.startswith("examples/"):  # reports: tests of their own
            continue
        for url in page.loaded:
            if urlsplit(url).netloc:
                yield f"{name}: loads {url}"
            elif not urlsplit(url).scheme and not _place(path, url).exists():
                yield f"{name}: loads {url}, which does not exist"
        for url in page.links:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            place = _place(path, url) if parts.path else path
            if not place.exists():
                yield f"{name}: no {url}"
            elif parts.fragment and place in pages and not _has(pages[place], parts.fragment):
                yield f"{name}: no place {url}"
        yield from (f"{name}: no text for the picture {url}" for url in page.without_text)
        if not page.viewport:
            yield f"{name}: no viewport for phones"
        if name in _TEMPLATES:
            continue
        if page.headings.count(1) != 1:
            yield f"{name}: {page.headings.count(1)} titles"
        for before, after in zip(page.headings, page.headings[1:], strict=False):
            if after > before + 1:
                yield f"{name}: a heading of level {after} below one of level {before}"


def _place(page: Path, url: str) -> Path:
    return (page.parent / unquote(urlsplit(url).path)).resolve()


def _has(page: Page, fragment: str) -> bool:
    return not fragment or unquote(fragment) in page.targets


if __name__ == "__main__":
    faults = [*wrong(Path(sys.argv[1]).resolve())]
    print(*faults, sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))
