"use strict";

/** Slots over time: which product is in which slot, as simulated (gallin2019, Fig. 8). */
const Schedule = (() => {
  const chart = Dom.byId("schedule-chart");
  const select = Dom.byId("design");
  const known = new Map(Data.raw.schedules.map((schedule) => [schedule.number, schedule]));
  const PHASES = [["operands in", 0, ""], ["in work", 0, "55"], ["result out", 2, ""]];
  const TALLEST = 900; // pixels
  const LANE = 0.4; // two products of one slot may be there at a time: one above the other

  const table = new DataTable(Dom.byId("schedule-table"), { caption: "Cycles of the products", search: false,
    columns: [
      ["product", "Product"], ["slot", "Slot"], ["from", "Operands, first"], ["taken", "Operands, last"],
      ["first", "Result, first"], ["to", "Result, last"], ["latency", "Latency"],
    ].map(([key, label]) => ({ key, label, number: true, get: (row) => row[key] })) });

  function rows({ taken, given, slots }) {
    return taken.map(([from, last], index) => ({
      product: index + 1, slot: index % slots + 1, lane: Math.floor(index / slots) % 2,
      from, taken: last, first: given[index][0], to: given[index][1],
      latency: given[index][1] - from + 1,
    }));
  }

  /** Bars of one phase: begin and end in cycles, both of them belong to it. */
  function bars([name, colour, alpha], parts, overlap, period, unit) {
    const shown = parts.filter(({ begin, end }) => end >= begin);
    const time = (cycles) => (period ? ` = ${Format.number(cycles * period)} ${unit}` : "");
    return {
      type: "bar", orientation: "h", name,
      marker: { color: `${Theme.palette()[colour]}${alpha}`, line: { width: 0 } },
      base: shown.map(({ begin }) => begin - 0.5), x: shown.map(({ begin, end }) => end - begin + 1),
      y: shown.map(({ row }) => row.slot + (overlap ? (row.lane - 0.5) * LANE : 0)),
      width: overlap ? LANE * 0.88 : 0.66, hoverinfo: "text",
      text: shown.map(({ row }) => (name === "in work" ? String(row.product) : "")),
      textposition: "inside", insidetextanchor: "middle", textangle: 0, constraintext: "none", textfont: { color: Theme.variable("text"), size: 11 },
      hovertext: shown.map(({ row }) => `<b>product ${row.product}</b>, slot ${row.slot}`
        + `<br>operands in: cycles ${row.from} to ${row.taken}<br>result out: cycles ${row.first} to ${row.to}`
        + `<br>latency: ${row.latency} cycles${time(row.latency)}`),
    };
  }

  function show() {
    const schedule = known.get(Number(select.value));
    if (!schedule) return;
    const point = Data.points[schedule.number];
    const { period, unit } = point.record.time ?? {};
    const products = rows(schedule);
    const overlap = products.some((row, index) => products[index + schedule.slots]?.from <= row.to);
    const parts = [
      products.map((row) => ({ row, begin: row.from, end: row.taken })),
      products.map((row) => ({ row, begin: row.taken + 1, end: row.first - 1 })),
      products.map((row) => ({ row, begin: Math.max(row.first, row.taken + 1), end: row.to })),
    ];
    const traces = PHASES.map((phase, index) => bars(phase, parts[index], overlap, period, unit));
    const height = Math.min(TALLEST, 140 + 46 * schedule.slots);
    chart.style.height = `${height}px`;
    Plotly.react(chart, traces, Theme.layout({
      height, barmode: "overlay", showlegend: true, bargap: 0, margin: Theme.BELOW_BAR,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      xaxis: { title: { text: period ? `clock cycle (one is ${Format.number(period)} ${unit})` : "clock cycle" },
        range: [0, products.at(-1).to + 1], zeroline: false, layer: "below traces" },
      yaxis: { title: { text: "slot" }, autorange: "reversed", dtick: 1, showgrid: false, zeroline: false },
      dragmode: "pan", uirevision: schedule.number,
    }), Theme.config);
    say(schedule, products, overlap);
    table.show(products);
  }

  function say({ slots }, products, overlap) {
    const latencies = [...new Set(products.map((row) => row.latency))].sort((a, b) => a - b);
    const spread = latencies.length > 1 ? `${latencies[0]} to ${latencies.at(-1)}` : latencies[0];
    const next = products[slots] ? products[slots].from - products[0].from : null;
    Dom.byId("schedule-note").textContent =
      `${slots} ${slots === 1 ? "product" : "products"} in flight; latency ${spread} cycles`
      + (next ? `, ${next} cycles from a product to the next of the first slot. ` : ". ")
      + (overlap ? "A slot takes its next product before the last result has left: the two lanes. " : "")
      + "From a simulation of the emitted Verilog, products issued back to back, every result checked.";
  }

  function start() {
    Dom.options(select, [...known.keys()].map((number) =>
      [number, `${Data.points[number].label} · ${Data.points[number].group}`]));
    const [most] = [...known.values()].sort((a, b) => b.slots - a.slots); // the most there is to see
    if (most) select.value = most.number;
    select.addEventListener("change", show);
    select.form.addEventListener("submit", (event) => event.preventDefault());
    if (known.size) show();
    else Dom.fill(Dom.byId("schedule-card"), Dom.make("p", { class: "empty" }, "No design was simulated."));
  }

  /** The schedule of a point, if there is one. */
  function choose(number) {
    if (number === null || !known.has(number)) return;
    select.value = number;
    show();
  }

  return { start, show, choose };
})();
