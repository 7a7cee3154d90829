"use strict";

/** The chart of all points: two figures against each other, and the front of each group. */
const Scatter = (() => {
  const chart = Dom.byId("scatter");
  const NARROW = 640; // pixels: of a narrower chart the title of an axis has several lines
  const SAID = 4; // groups that are named below the chart
  const OPEN = ["circle-open-dot", "square-open-dot", "diamond-open-dot", "cross-open-dot", "x-open-dot"];
  const HOVERED = ["area", "lut", "ff", "dsp", "ram", "per_product", "latency", "eight", "clock"];

  const { escape } = Format;

  function hover(point) {
    const wanted = [...new Set([State.now.x, State.now.y, ...HOVERED])];
    const lines = wanted.filter((key) => point.figures[key] !== undefined)
      .map((key) => {
        const quantity = Data.quantities.get(key);
        return `${quantity.label}: <b>${escape(Format.value(quantity, point))}</b>`;
      });
    if (point.estimated) lines.push(escape(`clock ${point.estimated} MHz`));
    if (point.unverified) lines.push(escape(`${Format.UNVERIFIED} clock limit: ${point.unverified}`));
    const where = point.record ? point.group : `${point.source} · ${point.chip} · ${point.width} bit`;
    const parameters = point.parameters ? [escape(`parameters: ${point.parameters}`)] : [];
    return [`<b>${escape(point.label ?? point.design)}</b>`, escape(where), ...parameters, ...lines].join("<br>");
  }

  /** Published designs like those shown; of their chip families only, unless all are wanted, and
   * of the architectures that are chosen. */
  function ghosts(points) {
    if (State.now.published === "none") return [];
    const families = new Set(points.map((point) => point.record.target));
    const chosen = State.now.filters.architecture;
    return Data.beside(points).filter((one) => (State.now.published === "every"
      || families.has(one.family)) && (chosen.size === 0 || chosen.has(one.architecture)));
  }

  function trace(points, more) {
    return {
      type: "scatter", mode: "markers", x: points.map((point) => point.figures[State.now.x]),
      y: points.map((point) => point.figures[State.now.y]), hoverinfo: "text",
      hovertext: points.map(hover), customdata: points.map((point) => point.number ?? null),
      showlegend: false, ...more,
    };
  }

  function ofArchitecture(name, points, onFront) {
    const members = points.filter((point) => point.record.architecture === name);
    const front = members.map((point) => onFront.has(point.number));
    return trace(members, {
      name,
      marker: {
        color: Theme.colour(name), symbol: Theme.symbol(name),
        size: front.map((one) => (one ? 13 : 9)), opacity: front.map((one) => (one ? 1 : 0.62)),
        line: { width: front.map((one) => (one ? 1.5 : 0)), color: Theme.variable("card") },
      },
    });
  }

  /** Published designs, a mark for each source; the legend names them, the pills our own. */
  function ofSource(name, index, points) {
    return trace(points.filter((point) => point.source === name), {
      name, showlegend: true, marker: {
        size: 9, symbol: OPEN[index % OPEN.length], color: Theme.variable("soft"), line: { width: 1.4 },
      },
    });
  }

  function ofFront([name, front]) {
    return {
      ...trace(front, {}), mode: "lines", name, hoverinfo: "skip",
      line: { color: Theme.variable("soft"), width: 1.6, shape: Front.shape(State.now.x), dash: "solid" },
    };
  }

  function marked(point) {
    return trace([point], {
      hoverinfo: "skip", name: "open",
      marker: { size: 22, symbol: "circle-open", color: Theme.variable("accent"), line: { width: 2.5 } },
    });
  }

  function axis(key, log, points) {
    const quantity = Data.quantities.get(key);
    const unit = Format.unit(quantity, points);
    const logarithmic = log && points.every((point) => point.figures[key] > 0);
    const title = unit ? `${quantity.label} (${unit})` : quantity.label;
    const text = chart.clientWidth < NARROW ? title.replace(" (", "<br>(").replaceAll(", ", ",<br>") : title;
    return {
      title: { text, standoff: 12 },
      type: logarithmic ? "log" : "linear", rangemode: log ? "normal" : "tozero",
      exponentformat: "SI", minorloglabels: "none",
    };
  }

  function show() {
    const { x, y } = State.now;
    const passing = State.passing().filter((point) =>
      point.figures[x] !== undefined && point.figures[y] !== undefined);
    const fronts = Front.byGroup(passing, x, y);
    const onFront = new Set(fronts.flatMap(([, front]) => front.map((point) => point.number)));
    const points = State.now.onlyFront
      ? passing.filter((point) => onFront.has(point.number)) : passing;
    const printed = ghosts(passing).filter((one) =>
      one.figures[x] !== undefined && one.figures[y] !== undefined);
    const sources = [...new Set(printed.map((one) => one.source))];
    const open = points.filter((point) => point.number === State.now.open);
    const traces = [
      ...fronts.map(ofFront),
      ...sources.map((name, index) => ofSource(name, index, printed)),
      ...Data.architectures.map((name) => ofArchitecture(name, points, onFront))
        .filter((one) => one.x.length > 0),
      ...open.map(marked),
    ];
    const all = [...points, ...printed];
    const xaxis = axis(x, State.now.logX, all);
    const yaxis = axis(y, State.now.logY, all);
    const logarithmic = { x: xaxis.type === "log", y: yaxis.type === "log" };
    const annotations = Labels.of(fronts.flatMap(([, front]) => front), all, chart, logarithmic);
    const legend = { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { size: 11.5 } };
    const layout = Theme.layout({ margin: Theme.BELOW_BAR, showlegend: sources.length > 0, legend, xaxis, yaxis, annotations, uirevision: [x, y, xaxis.type, yaxis.type].join() });
    Plotly.react(chart, traces, layout, Theme.config).then(tick);
    say(passing, fronts, printed);
  }

  function say(points, fronts, printed) {
    const members = fronts.reduce((sum, [, front]) => sum + front.length, 0);
    const ghosts = printed.length ? `, ${printed.length} published` : "";
    Dom.byId("shown").textContent =
      `${points.length} of ${Data.drawn.length} points, ${members} on the front${ghosts}`;
    const [x, y] = [State.now.x, State.now.y].map((key) => Data.quantities.get(key).label.toLowerCase());
    const names = fronts.slice(0, SAID).map(([name]) => name).join("; ");
    const others = fronts.length > SAID ? `; and ${fronts.length - SAID} more` : "";
    const several = fronts.length > 1
      ? ` What cannot be compared has a line of its own: ${names}${others}.` : "";
    Dom.byId("scatter-note").textContent = points.length
      ? `${sentence(x)} across, ${y} up. The line joins the points that no other one beats in both.`
        + `${several} Open a point with a click, or in the table below with Enter.`
      : "No point has both figures, or the filters let none through.";
  }

  const sentence = (text) => text[0].toUpperCase() + text.slice(1);

  /** Ticks for what is shown now; also after a zoom. */
  function tick() {
    const changes = Ticks.changes(chart);
    if (Object.keys(changes).length > 0) Plotly.relayout(chart, changes);
  }

  function start() {
    show();
    chart.on("plotly_relayout", (changed) => {
      if (Object.keys(changed).some((key) => /axis\.(range|autorange)/.test(key))) tick();
    });
    chart.on("plotly_click", ({ points }) => {
      const number = points[0]?.customdata;
      if (number !== null && number !== undefined) Panel.open(number);
    });
  }

  return { start, show };
})();
