"use strict";

/** Tables that can be sorted and searched, and whose rows open a point. */
class DataTable {
  static STEP = 60; // rows shown at first, and more each time

  /** columns: {key, label, unit, number, long, spare, get(row), show(row)}; open(row): what Enter does.
   * spare: the columns with the largest are left away first where there is no room. */
  constructor(holder, { caption, columns, open = null, search = true, sort = null, empty = "Nothing." }) {
    Object.assign(this, { holder, caption, columns, open, empty, sort, rows: [], limit: DataTable.STEP });
    this.words = "";
    this.left = new Set(); // keys of columns that are left away
    this.wide = false; // all columns are wanted
    this.count = Dom.make("span", { class: "count", role: "status" });
    this.input = Dom.make("input", {
      type: "search", placeholder: "Search", "aria-label": `Search: ${caption}`,
      oninput: () => { this.words = this.input.value; this.limit = DataTable.STEP; this.body(); },
    });
    this.table = Dom.make("table", {}, Dom.make("caption", {}, caption));
    this.table.addEventListener("keydown", (event) => this.keys(event));
    this.scroll = Dom.make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      this.table);
    this.more = Dom.make("button", { type: "button", class: "quiet more",
      onclick: () => { this.limit += 4 * DataTable.STEP; this.body(); } }, "Show more");
    this.download = Dom.make("button", { type: "button", class: "quiet", onclick: () => this.csv() },
      "Download CSV");
    const tools = Dom.make("div", { class: "table-tools" }, this.input, this.count, this.download);
    tools.hidden = !search;
    this.every = Dom.make("button", { type: "button", class: "quiet more",
      onclick: () => { this.wide = true; this.show(this.rows); } });
    Dom.fill(holder, tools, this.scroll, this.more, this.every);
  }

  show(rows) {
    this.rows = rows;
    this.left.clear();
    this.draw();
    if (!this.wide) this.fit();
    this.every.hidden = this.left.size === 0;
    this.every.textContent = `Show ${this.left.size} more columns`;
  }

  draw() {
    this.head();
    this.body();
  }

  /** Leaves spare columns away until the table is no wider than its place. */
  fit() {
    const spare = this.used().filter((column) => column.spare).sort((a, b) => a.spare - b.spare);
    while (spare.length && this.scroll.scrollWidth > this.scroll.clientWidth) {
      this.left.add(spare.pop().key);
      this.draw();
    }
  }

  /** The columns that some row has a value for; a facet, only where rows differ in it. */
  used() {
    return this.known().filter((column) => !this.left.has(column.key));
  }

  known() {
    return this.columns.filter((column) => {
      if (column.facet) return new Set(this.rows.map(column.get)).size > 1;
      return this.rows.some((row) => ![undefined, null, ""].includes(column.get(row)));
    });
  }

  head() {
    const cells = this.used().map((column) => {
      const own = this.sort?.key === column.key;
      const order = own ? (this.sort.down ? "descending" : "ascending") : "none";
      const press = () => {
        this.sort = { key: column.key, down: own ? !this.sort.down : false };
        this.head();
        this.body();
        this.table.querySelector(`th[data-key="${column.key}"] button`).focus();
      };
      const unit = column.unit?.(this.rows);
      return Dom.make("th", { scope: "col", "aria-sort": order, "data-key": column.key,
        class: column.number ? "number" : null },
        Dom.make("button", { type: "button", onclick: press }, column.label,
          Dom.make("span", { class: "arrow", "aria-hidden": "true" },
            own ? (this.sort.down ? " ↓" : " ↑") : ""),
          unit ? Dom.make("small", {}, unit) : null));
    });
    this.table.tHead?.remove();
    this.table.append(Dom.make("thead", {}, Dom.make("tr", {}, cells)));
  }

  /** The rows that hold all words that are searched for, in order. */
  chosen() {
    const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    const columns = this.used();
    const found = words.length === 0 ? this.rows : this.rows.filter((row) => {
      const text = columns.map((column) => this.text(column, row)).join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const column = columns.find((one) => one.key === this.sort?.key);
    if (!column) return found;
    const sign = this.sort.down ? -1 : 1;
    return found.map((row) => [column.get(row), row]).sort(([a], [b]) => {
      const [none, other] = [a === undefined || a === null, b === undefined || b === null];
      if (none || other) return none - other; // what has no figure comes last
      return sign * (typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en"));
    }).map(([, row]) => row);
  }

  text(column, row) {
    if (column.show) return column.show(row);
    const value = column.get(row);
    return typeof value === "number" ? Format.number(value) : String(value ?? "–");
  }

  body() {
    const columns = this.used();
    const rows = this.chosen();
    const shown = rows.slice(0, this.limit).map((row, index) => {
      const cells = columns.map((column) => Dom.make("td",
        { class: column.number ? "number" : column.long ? "long" : column.name ? "name" : null },
        column.mark?.(row) ?? null, this.text(column, row)));
      if (!this.open) return Dom.make("tr", {}, cells);
      return Dom.make("tr", {
        class: "opens", tabindex: index === 0 ? "0" : "-1", "data-number": row.number,
        "aria-selected": row.number === State.now.open ? "true" : null,
        onclick: () => this.open(row),
      }, cells);
    });
    this.table.tBodies[0]?.remove();
    this.table.append(Dom.make("tbody", {}, shown));
    this.scroll.hidden = this.rows.length === 0;
    this.more.hidden = rows.length <= this.limit;
    this.count.textContent = this.rows.length === 0 ? this.empty
      : `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
    this.input.hidden = this.rows.length < 6;
    this.download.hidden = this.rows.length === 0;
  }

  /** The rows that are shown, in their order, with all digits. */
  csv() {
    const columns = this.known();
    const cell = (value) => `"${String(value ?? "").replaceAll('"', '""')}"`;
    const lines = [columns.map((column) => cell(column.label)),
      ...this.chosen().map((row) => columns.map((column) => cell(column.get(row))))];
    const url = URL.createObjectURL(new Blob([lines.map((line) => line.join(",")).join("\n")],
      { type: "text/csv" }));
    Dom.make("a", { href: url, download: "points.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  /** One row is in the order of the tab key; arrows go to the others. */
  keys(event) {
    const row = event.target.closest("tr.opens");
    if (!row || event.target !== row) return;
    const rows = [...this.table.tBodies[0].rows];
    const place = rows.indexOf(row);
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") row.click();
    else if (to === undefined) return;
    else if (rows[to]) {
      row.tabIndex = -1;
      rows[to].tabIndex = 0;
      rows[to].focus();
    }
    event.preventDefault();
  }

  mark(number) {
    for (const row of this.table.tBodies[0]?.rows ?? []) {
      if (row.dataset.number === String(number)) row.setAttribute("aria-selected", "true");
      else row.removeAttribute("aria-selected");
    }
  }
}

/** The tables of points: all that pass, the front, what was left out. */
const Tables = (() => {
  const FIGURES = ["area", "lut", "ff", "dsp", "ram", "per_product", "latency", "eight", "clock",
    "area_time", "rate", "cycles", "latency_cycles", "levels"];
  const SPARE = ["eight", "rate", "ram", "latency", "cycles", "area_time", "latency_cycles", "levels"];
  const SHORT = { area: "Area", lut: "LUT", ff: "FF", dsp: "DSP", ram: "RAM", per_product: "Per product",
    eight: "Eight", area_time: "Area × time", rate: "Throughput", cycles: "Cycles",
    latency_cycles: "Latency, cycles", levels: "Levels" };
  const open = (row) => Panel.open(row.number);
  const label = { key: "label", label: "Design", name: true, get: (row) => row.label,
    mark: (row) => Theme.swatch(row.record.architecture) };

  const facet = (key) => {
    const dimension = Data.dimensions.find((one) => one.key === key);
    return { key, label: dimension.label, get: dimension.of, facet: true, number: key === "width" };
  };

  /** A figure of a row; beside a clock, that it is estimated or unverified. */
  function shown(quantity, row) {
    const figure = row.figures[quantity.key];
    if (quantity.unit === "1/period") return Format.scaled(figure);
    const doubt = quantity.key === "clock" ? Format.doubt(row).trimStart() : "";
    return Format.number(figure) + (doubt && `\n${doubt}`);
  }

  function figures() {
    return FIGURES.map((key) => {
      const quantity = Data.quantities.get(key);
      return { key, label: SHORT[key] ?? quantity.label, number: true, spare: SPARE.indexOf(key) + 1,
        get: (row) => row.figures[key],
        unit: (rows) => Format.unit(quantity, rows.filter((row) => row.figures[key] !== undefined)),
        show: (row) => shown(quantity, row) };
    });
  }

  const all = new DataTable(Dom.byId("points-table"), { caption: "All points", open,
    columns: [label, facet("target"), facet("width"), facet("field"), ...figures(), facet("timing")],
    sort: { key: "area", down: false } });
  const front = new DataTable(Dom.byId("front-table"), { caption: "Points on the front", open,
    search: false, columns: [label, facet("target"), facet("width"), ...figures().slice(0, 10)] });
  const left = new DataTable(Dom.byId("left-out-table"), { caption: "Failed, or outside", open,
    empty: Data.nothingLeftOut(),
    columns: [
      label, { key: "status", label: "Status", get: (row) => row.record.status },
      facet("target"), facet("width"),
      { key: "reason", label: "Reason", long: true, get: (row) => row.record.reason },
    ] });

  function show() {
    const passing = State.passing();
    const members = Front.byGroup(passing, State.now.x, State.now.y).flatMap(([, one]) => one);
    const names = [State.now.x, State.now.y].map((key) => Data.quantities.get(key).label.toLowerCase());
    Dom.byId("front-title").textContent = `${names.join(" and ")}: ${Data.raw.coverage.front}`;
    all.show(passing);
    front.show(members);
    left.show(Data.leftOut);
  }

  return { show, mark: (number) => [all, front, left].forEach((table) => table.mark(number)) };
})();
