"""The page in a browser: `make browser`.  Screenshots go to build/browser."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from modmul import Spec
from modmul.export.build import build
from modmul.reporting.points import front
from modmul.reporting.published import published
from modmul.reporting.report import Report

if not os.environ.get("BROWSER"):
    pytest.skip("set BROWSER=1, or run `make browser`", allow_module_level=True)

from playwright.sync_api import BrowserContext, ViewportSize

from browser import DESKTOP, PHONE, SHOTS, Scheme, WatchedPage, opened

ACCESSIBLE = (Path(__file__).parent / "accessibility.js").read_text()
NONE = "\N{EN DASH}"  # of a figure that there is not
PARTS = ("trade-off", "schedule", "compare", "points", "left-out", "provenance")


def drawn(watched: WatchedPage) -> list[Any]:
    """Names and figures of what the large chart shows."""
    return watched.page.evaluate(
        "document.getElementById('scatter').data.map(t => [t.name, [...t.x], [...t.y]])"
    )


def front_numbers(watched: WatchedPage) -> list[int]:
    rows = watched.page.locator("#front-table tr.opens")
    return [int(row.get_attribute("data-number") or -1) for row in rows.all()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_desktop(browser: BrowserContext, path: Path, scheme: Scheme) -> None:
    with opened(browser, path, DESKTOP, scheme) as watched:
        page = watched.page
        page.screenshot(path=SHOTS / f"{scheme}.png", full_page=True)
        for part in PARTS:
            page.locator(f"#{part}").screenshot(path=SHOTS / f"{scheme}-{part}.png")
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        channels = [int(channel) for channel in background.strip("rgb()").split(",")]
        assert (max(channels) < 60) == (scheme == "dark")
        for summary in page.locator("summary").all():
            if summary.locator("xpath=..").get_attribute("open") is None:
                summary.click()
        assert page.evaluate(ACCESSIBLE) == []
        page.locator("#points tr.opens").first.click()
        watched.settle()
        page.screenshot(path=SHOTS / f"{scheme}-panel.png")
        assert page.evaluate(ACCESSIBLE) == []


def test_phone(browser: BrowserContext, path: Path) -> None:
    with opened(browser, path, PHONE) as watched:
        page = watched.page
        page.screenshot(path=SHOTS / "phone.png", full_page=True)
        for part in PARTS:
            page.locator(f"#{part}").screenshot(path=SHOTS / f"phone-{part}.png")
        width = "document.documentElement.scrollWidth"
        assert page.evaluate(width) == PHONE["width"]
        boxes = [
            select.bounding_box() for select in page.locator("#trade-off .toolbar select").all()
        ]
        assert len(boxes) > 2 and len({round(box["x"]) for box in boxes if box}) == 1
        page.locator("#filtering summary").click()
        for summary in page.locator("details.as-table summary").all():
            summary.click()
        page.locator("#points tr.opens").first.click()
        watched.settle()
        page.screenshot(path=SHOTS / "phone-panel.png")
        assert page.evaluate(width) == PHONE["width"]
        box = page.locator("#panel").bounding_box()
        assert box and box["x"] >= 0 and box["width"] <= PHONE["width"]
        assert page.evaluate(ACCESSIBLE) == []


def test_designs_that_are_compared_differ_in_dash_or_mark(
    browser: BrowserContext, path: Path
) -> None:
    """All of one colour, and more of them than there are dashes; units stand below long figures."""
    with opened(browser, path) as watched:
        page = watched.page
        for pill in page.locator("#compare fieldset button[aria-pressed=false]").all()[:4]:
            pill.click()
        watched.settle()
        for chart in ("radar", "products"):
            looks = page.evaluate(
                f"document.getElementById('{chart}').data.map("
                "t => [t.line.color, t.line.dash, t.marker.symbol].join())"
            )
            assert len(looks) > 4 and len(set(looks)) == len(looks)
        units = page.locator("#tiles small").all()
        for unit in units:
            display = unit.evaluate("one => getComputedStyle(one).display")
            assert (display == "block") == (len(unit.inner_text()) > 8)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_is_cut(browser: BrowserContext, path: Path, viewport: ViewportSize) -> None:
    """Texts of the charts are within them, names whole, columns within their table where it can
    leave some away, buttons above the plot."""
    with opened(browser, path, viewport) as watched:
        page = watched.page
        cut = page.evaluate(
            """() => [...document.querySelectorAll('#scatter .main-svg text')].filter(text => {
              const t = text.getBoundingClientRect();
              const box = document.getElementById('scatter').getBoundingClientRect();
              return t.width && (t.left < box.left - 1 || t.right > box.right + 1
                || t.top < box.top - 1 || t.bottom > box.bottom + 1);
            }).map(text => text.textContent)"""
        )
        assert cut == []
        names = page.evaluate(
            "(document.getElementById('scatter').layout.annotations ?? []).map(a => a.text)"
        )
        assert (viewport is PHONE) == (names == []) and not any("…" in name for name in names)
        bar = page.locator("#scatter .modebar").bounding_box()
        plot = page.locator("#scatter .bglayer .bg, #scatter .cartesianlayer .plot").first
        inside = plot.bounding_box()
        assert bar and inside and bar["y"] + bar["height"] <= inside["y"]
        if viewport is DESKTOP:
            for table in ("front-table", "points-table"):
                scroll = page.locator(f"#{table} .scroll")
                assert scroll.evaluate("e => e.scrollWidth - e.clientWidth") <= 0, table


def test_columns_that_were_left_away_can_be_shown(browser: BrowserContext, path: Path) -> None:
    with opened(browser, path, PHONE) as watched:
        table = watched.page.locator("#points-table")
        few = table.locator("th").count()
        table.get_by_role("button", name="more columns").click()
        assert table.locator("th").count() > few


def test_a_browser_that_cannot_unpack_the_charts_says_so(
    browser: BrowserContext, path: Path, shown: Report
) -> None:
    with opened(browser, path, before="delete window.DecompressionStream;") as watched:
        page = watched.page
        assert "DecompressionStream" in page.locator("#scatter").inner_text()
        assert page.locator("#points-table tr.opens").count() > 0
        page.locator("#points-table tr.opens").first.click()
        assert page.locator("#panel").is_visible()


@pytest.fixture(scope="module")
def datasheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = Spec.from_options({"modulus": "p256", "target": "ecp5"})
    folder = tmp_path_factory.mktemp("sheet")
    result = build(spec, folder)
    return folder / f"{result.name}.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_datasheet(
    browser: BrowserContext, datasheet: Path, viewport: ViewportSize, scheme: Scheme
) -> None:
    """It never scrolls sideways as a whole; names of ports stand in one line; on a desktop both
    diagrams fit, on a phone the block diagram does."""
    with opened(browser, datasheet, viewport, scheme, ready="svg.d") as watched:
        page = watched.page
        size = "phone" if viewport is PHONE else "desktop"
        page.screenshot(path=SHOTS / f"datasheet-{size}-{scheme}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
        names = page.locator("td:first-child code")
        lines = names.evaluate_all("names => names.map(name => name.getClientRects().length)")
        assert len(lines) > 18 and set(lines) == {1}
        for kind in ("k", "d") if viewport is DESKTOP else ("k",):
            box = page.locator(f"svg.{kind}").bounding_box()
            assert box and box["x"] >= 0 and box["x"] + box["width"] <= viewport["width"]
        assert [
            problem for problem in page.evaluate(ACCESSIBLE) if problem.startswith("contrast")
        ] == []


def test_theme_can_be_chosen(watched: WatchedPage) -> None:
    page, colour = watched.page, "getComputedStyle(document.body).backgroundColor"
    ink = "document.getElementById('scatter').layout.font.color"
    before, letters = page.evaluate(colour), page.evaluate(ink)
    page.click("#theme")  # light, as the system has it
    assert page.evaluate(colour) == before
    page.click("#theme")
    watched.settle()
    assert page.evaluate(colour) != before
    assert page.evaluate(ink) != letters


def test_axes_change_what_is_drawn(watched: WatchedPage) -> None:
    page, before = watched.page, drawn(watched)
    page.select_option("#x", "lut")
    page.select_option("#y", "eight")
    watched.settle()
    after = drawn(watched)
    assert after != before
    title = "document.getElementById('scatter').layout.xaxis.title.text"
    assert page.evaluate(title).startswith("LUTs")
    kind = "document.getElementById('scatter')._fullLayout.xaxis.type"
    assert page.evaluate(kind) == "log"
    page.locator("#log-x").uncheck()
    watched.settle()
    assert page.evaluate(kind) == "linear"


def test_a_zoom_stays_when_a_point_is_opened(watched: WatchedPage) -> None:
    page, span = watched.page, "document.getElementById('scatter')._fullLayout.xaxis.range"
    page.evaluate("Plotly.relayout('scatter', {'xaxis.range': [3, 3.5]})")
    page.locator("#front-table tr.opens").first.click()
    watched.settle()
    assert page.evaluate(span) == [3, 3.5]
    page.select_option("#x", "lut")
    watched.settle()
    assert page.evaluate(span) != [3, 3.5]


def test_front_is_that_of_the_program(watched: WatchedPage, shown: Report) -> None:
    """Recomputed in the page for any axes and filter, the same as here."""
    page = watched.page
    for button in page.get_by_role("button", name="Clear filters").all():
        button.click()
    for axes in (("area", "per_product"), ("lut", "latency"), ("ff", "rate"), ("clock", "dsp")):
        page.select_option("#x", axes[0])
        page.select_option("#y", axes[1])
        watched.settle()
        wanted = [point.number for point in front(shown.points, axes)]
        assert sorted(front_numbers(watched)) == sorted(wanted), axes


def test_filters_change_what_is_drawn(watched: WatchedPage, shown: Report) -> None:
    page = watched.page
    if len({point.record.architecture for point in shown.points}) == 1:
        pytest.skip("one architecture: there is nothing to filter")
    before = page.locator("#shown").inner_text()
    name = shown.front[0].record.architecture
    page.locator(f'#filters input[data-value="{name}"]').check()
    watched.settle()
    assert page.locator("#shown").inner_text() != before
    markers = [marker for marker in drawn(watched) if marker[0] == name]
    others = {point.record.architecture for point in shown.points} - {name}
    assert markers
    assert not others & {marker[0] for marker in drawn(watched)}
    rows = page.locator("#points-table tbody tr")
    assert all(name in row.inner_text() for row in rows.all())
    assert page.locator(f'#filters input[data-value="{name}"]').evaluate(
        "box => box === document.activeElement"
    )
    page.reload()  # the address keeps what was chosen
    page.wait_for_selector("html[data-ready]")
    assert page.locator(f'#filters input[data-value="{name}"]').is_checked()


def test_published_designs_can_be_shown(watched: WatchedPage) -> None:
    sources = {design.source for design in published()}

    def ghosts() -> int:
        return sum(len(xs) for name, xs, _ in drawn(watched) if name in sources)

    def legend() -> set[str]:
        return {*watched.page.locator("#scatter .legendtext").all_text_contents()}

    if not watched.page.locator("#published").is_visible():
        pytest.skip("nothing was published for these widths")
    few = ghosts()
    watched.page.select_option("#published", "every")
    watched.settle()
    assert ghosts() > few
    assert legend() and legend() <= sources
    watched.page.select_option("#published", "none")
    watched.settle()
    assert ghosts() == 0 and not legend()


def test_a_click_on_a_point_opens_what_builds_it_again(watched: WatchedPage, shown: Report) -> None:
    page = watched.page
    page.evaluate(
        "document.getElementById('scatter').scrollIntoView({block: 'center', behavior: 'instant'})"
    )
    watched.settle()
    place = page.evaluate(
        """() => {
          const chart = document.getElementById("scatter");
          const trace = chart.data.find(t => t.mode === "markers" && t.customdata?.[0] !== undefined
            && t.x.length);
          const { xaxis, yaxis } = chart._fullLayout, box = chart.getBoundingClientRect();
          const at = (axis, value) => axis._offset + axis.d2p(value);
          return [box.x + at(xaxis, trace.x[0]), box.y + at(yaxis, trace.y[0])];
        }"""
    )
    page.mouse.move(place[0], place[1])
    watched.settle()
    page.mouse.click(place[0], place[1])
    watched.settle()
    said = page.locator("#panel pre").first.inner_text()
    commands = {point.command: point for point in shown.points}
    assert said in commands
    text = page.locator("#panel pre").nth(1).inner_text()
    spec = Spec.from_options(tomllib.loads(text))
    assert spec.options() == commands[said].record.spec
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#panel .copy button").first.click()
    watched.settle()
    assert page.locator("#panel .copy button").first.inner_text() == "Copied"
    assert page.evaluate("navigator.clipboard.readText()") == said
    page.keyboard.press("Escape")
    assert not page.locator("#panel").is_visible()


def test_tables_are_sorted_and_searched(watched: WatchedPage) -> None:
    page = watched.page

    area = page.locator('#points-table th[data-key="area"]')

    def column() -> list[float]:
        place = area.evaluate("one => one.cellIndex") + 1
        cells = page.locator(f"#points-table td:nth-child({place})").all_inner_texts()
        return [float(cell.replace(",", "")) for cell in cells if cell != NONE]

    assert area.get_attribute("aria-sort") == "ascending"
    assert column() == sorted(column())
    area.locator("button").click()
    assert area.get_attribute("aria-sort") == "descending"
    assert column() == sorted(column(), reverse=True)
    every = page.locator("#points-table tbody tr").count()
    page.fill("#points-table input", "fpmm slots")
    assert 0 < page.locator("#points-table tbody tr").count() < every
    page.fill("#points-table input", "no such thing")
    assert page.locator("#points-table tbody tr").count() == 0
    with page.expect_download() as download:
        page.locator("#points-table button", has_text="CSV").click()
    assert Path(download.value.path()).read_text().startswith('"Design","Area"')


def test_keyboard_alone(watched: WatchedPage) -> None:
    """The tab key goes through all controls, each visibly; a row opens with Enter, and the focus
    comes back to it."""
    page, seen = watched.page, []
    focused = """() => { const e = document.activeElement, s = getComputedStyle(e);
      const pill = e.closest(".pill");
      const ring = pill ? getComputedStyle(pill) : s;
      return [e.id || e.className || e.tagName, ring.outlineStyle !== "none"]; }"""
    for _ in range(400):
        page.keyboard.press("Tab")
        what, ring = page.evaluate(focused)
        if what == "BODY":
            break
        seen.append(what)
        assert ring, what
        if what == "opens" and page.evaluate("!!document.activeElement.closest('#points-table')"):
            break
    assert {"skip", "theme", "x", "y", "log-x", "design", "opens"} <= set(seen)
    assert seen.index("x") < seen.index("design")
    page.keyboard.press("ArrowDown")
    row = page.evaluate("document.activeElement.dataset.number")
    page.keyboard.press("Enter")
    assert page.locator("#panel").is_visible()
    assert page.evaluate("document.activeElement.id") == "panel-title"
    page.keyboard.press("Escape")
    assert not page.locator("#panel").is_visible()
    assert page.evaluate("document.activeElement.dataset.number") == row


def test_failed_points_and_their_reasons(watched: WatchedPage, shown: Report) -> None:
    table = watched.page.locator("#left-out-table").inner_text()
    left = [point for point in shown.points if not point.drawn]
    assert left or os.environ.get("BROWSER_DIR")
    for point in left[:20]:
        reason = point.record.reason or ""
        assert " ".join(reason.split())[:60] in " ".join(table.split())


def test_schedule_is_that_of_the_simulation(watched: WatchedPage, shown: Report) -> None:
    page = watched.page
    for number, schedule in shown.schedules.items():
        page.select_option("#design", str(number))
        watched.settle()
        bars = page.evaluate(
            "document.getElementById('schedule-chart').data.map(t => t.base.length)"
        )
        assert bars[0] == len(schedule.taken)
        box = page.locator("#schedule-chart").bounding_box()
        svg = page.locator("#schedule-chart svg.main-svg").first.bounding_box()
        assert box and svg and abs(box["height"] - svg["height"]) < 2
        ends = page.evaluate(
            "(t => t.base.map((b, k) => b + t.x[k] - 0.5))"
            "(document.getElementById('schedule-chart').data[2])"
        )
        assert ends == [last for _, last in schedule.given]
        spec = Spec.from_options(shown.points[number].record.spec)
        design, mode = spec.multiplier, spec.headline
        if design.timing == "constant":
            assert schedule.given[0][1] == design.latency(mode).maximum
            starts = [first for first, _ in schedule.taken]
            assert starts[design.slots] - starts[0] == design.interval(mode).maximum
