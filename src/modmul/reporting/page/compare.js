"use strict";

/** Some designs beside each other: efficiency (gallin2019, Fig. 9), time for k products (Fig. 7). */
const Compare = (() => {
  const AXES = { rate_lut: "per LUT", rate_ff: "per FF", rate_dsp: "per DSP", rate_ram: "per kbit",
    rate_area: "per area", rate: "in all" };
  const MOST = 6; // designs chosen at first
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  // as many as have no divisor in common with the dashes: twenty designs before a pair comes again
  const MARKS = ["circle", "square", "diamond", "triangle-up", "x"];
  const box = Dom.byId("compared");
  let designs = [];
  let chosen = new Set();

  const counts = { key: "name", label: "Design", name: true, get: (row) => row.name };
  const radarTable = new DataTable(Dom.byId("radar-table"), { caption: "Throughput", search: false,
    columns: [counts, ...Object.entries(AXES).map(([key, label]) => ({ key, label, number: true,
      get: (row) => row.figures[key], show: (row) => Format.scaled(row.figures[key]) }))] });
  const productsTable = new DataTable(Dom.byId("products-table"), { search: false,
    caption: "Time for so many products",
    columns: [counts, ...[1, 2, 4, 8, 16, 32].map((k) => ({ key: `k${k}`, label: String(k), number: true,
      get: (row) => row.counted?.[k - 1], unit: (rows) => [...new Set(rows.map((row) => row.units.time))].join(", ") }))] });

  /** Members of the front, and published designs of the same widths and families. */
  function candidates() {
    const passing = State.passing();
    const members = Front.byGroup(passing, State.now.x, State.now.y).flatMap(([, front]) => front)
      .filter((point) => point.figures.rate !== undefined);
    const ours = members.map((point) => ({ id: `p${point.number}`, name: point.label, point,
      architecture: point.record.architecture, figures: point.figures, counted: point.counted,
      units: point.units }));
    const printed = Data.beside(passing)
      .map((one) => ({ id: `${one.source} ${one.design} ${one.chip} ${one.width}`,
        name: `${one.design}, ${one.chip}`, ghost: true,
        figures: one.figures, counted: one.counted, units: one.units, family: one.family }));
    return [...ours, ...printed];
  }

  function renew() {
    const old = new Set(designs.map((one) => one.id));
    designs = candidates();
    const same = designs.length === old.size && designs.every((one) => old.has(one.id));
    if (!same) {
      const ours = designs.filter((one) => !one.ghost);
      const step = Math.max(1, (ours.length - 1) / (MOST - 1));
      const spread = Array.from({ length: Math.min(MOST, ours.length) }, (_, k) => ours[Math.round(k * step)]);
      const families = new Set(State.passing().map((point) => point.record.target));
      const printed = designs.filter((one) => one.ghost && families.has(one.family))
        .sort((a, b) => a.figures.eight - b.figures.eight).slice(0, 1);
      chosen = new Set([...spread, ...printed].map((one) => one.id));
    }
    pills();
    show();
  }

  function pills() {
    const pill = (one) => Dom.make("label", { class: "pill" },
      Dom.make("input", { type: "checkbox", checked: chosen.has(one.id), onchange: (event) => {
        if (event.target.checked) chosen.add(one.id); else chosen.delete(one.id);
        show();
      } }), one.ghost ? null : Theme.swatch(one.architecture), Dom.make("span", {}, one.name));
    const group = (label, members) => (members.length ? Dom.make("fieldset", {},
      Dom.make("legend", {}, label), members.map(pill)) : null);
    Dom.fill(box, group("Front", designs.filter((one) => !one.ghost)),
      group("Published", designs.filter((one) => one.ghost)));
  }

  /** Colour, dash and mark of each design: those of one architecture differ by dash and mark. */
  function styled() {
    const seen = new Map();
    let ghosts = 0;
    return designs.filter((one) => chosen.has(one.id)).map((one) => {
      if (one.ghost) return { ...one, colour: Theme.variable("soft"), dash: DASHES[1 + ghosts % 3], mark: MARKS[ghosts++ % MARKS.length],
        width: 1.6 };
      const place = seen.get(one.architecture) ?? 0;
      seen.set(one.architecture, place + 1);
      return { ...one, colour: Theme.colour(one.architecture), dash: DASHES[place % DASHES.length],
        mark: MARKS[place % MARKS.length], width: 2.4 };
    });
  }

  function show() {
    const shown = styled();
    radar(shown);
    products(shown.filter((one) => one.counted));
    radarTable.show(shown);
    productsTable.show(shown.filter((one) => one.counted));
  }

  function radar(shown) {
    const axes = Object.keys(AXES).filter((key) =>
      shown.some((one) => one.figures[key] !== undefined));
    const best = Object.fromEntries(axes.map((key) =>
      [key, Math.max(...shown.map((one) => one.figures[key] ?? 0))]));
    const loop = [...axes, axes[0]];
    const traces = shown.map((one) => ({
      type: "scatterpolar", name: Format.escape(one.name), mode: "lines+markers", connectgaps: true,
      r: loop.map((key) => (one.figures[key] === undefined ? null : one.figures[key] / best[key])),
      theta: loop.map((key) => AXES[key]), hoverinfo: "text",
      hovertext: loop.map((key) => `<b>${Format.escape(one.name)}</b><br>${AXES[key]}: ${Format.rate(one.figures[key], one.units.period)}`),
      line: { color: one.colour, dash: one.dash, width: one.width }, 
      marker: { size: 6, color: one.colour, symbol: one.mark },
      fill: one.ghost ? "none" : "toself", fillcolor: `${one.colour}14`,
    }));
    const line = Theme.variable("line");
    Plotly.react("radar", traces, Theme.layout({
      showlegend: true, legend: { orientation: "h", y: -0.2, font: { size: 11 } },
      margin: { l: 60, r: 60, t: 34, b: 50 },
      polar: { bgcolor: "rgba(0,0,0,0)",
        radialaxis: { range: [0, 1.02], tickvals: [0.25, 0.5, 0.75, 1], ticktext: ["", "½", "", "best"],
          gridcolor: line, linecolor: line, angle: 90, tickangle: 90, tickfont: { size: 10 } },
        angularaxis: { gridcolor: line, linecolor: line } },
    }), { ...Theme.config, displayModeBar: false });
  }

  function products(shown) {
    const units = [...new Set(shown.map((one) => one.units.time))];
    const traces = shown.map((one) => ({
      type: "scatter", name: Format.escape(one.name), mode: "lines+markers", x: one.counted.map((_, k) => k + 1),
      y: one.counted, line: { color: one.colour, dash: one.dash, width: one.width, shape: "linear" },
      marker: { size: 6, symbol: one.mark }, hoverinfo: "text",
      hovertext: one.counted.map((time, k) =>
        `<b>${Format.escape(one.name)}</b><br>${k + 1} products: ${Format.number(time)} ${one.units.time}`),
    }));
    Plotly.react("products", traces, Theme.layout({
      showlegend: true, legend: { orientation: "h", y: -0.24, font: { size: 11 } },
      xaxis: { title: { text: "products" }, range: [0.5, 32.5], tickvals: [1, 4, 8, 12, 16, 20, 24, 28, 32] },
      yaxis: { title: { text: units.length === 1 ? `time (${units[0]})` : "time" }, type: "log",
        exponentformat: "SI", minorloglabels: "none" },
    }), { ...Theme.config, displayModeBar: false });
  }

  return { renew, show: () => { pills(); show(); } };
})();
