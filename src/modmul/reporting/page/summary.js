"use strict";

/** What stands above and below the charts: the summary, highlights, where the figures are from. */
const Summary = (() => {
  const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
  const list = (names) => (names.length < 2 ? names.join("")
    : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

  const widths = (all) => (all.length > 6 ? `${all[0]} to ${all.at(-1)}` : list(all.map(String)));

  const SHORT = 8; // letters of a unit that stands beside its figure

  const sentence = (text) => text[0].toUpperCase() + text.slice(1);

  function lead() {
    const { done, outside, failed } = Data.raw.counts;
    const of = (key) => Data.dimensions.find((one) => one.key === key).values;
    if (done === 0) {
      Dom.byId("lead").textContent = `No design was measured: ${failed} failed, ${outside} outside the space.`;
      return;
    }
    const left = [failed ? `${failed} failed` : "", outside ? `${outside} outside the space` : ""].filter(Boolean);
    const estimated = Data.raw.counts.estimated;
    const how = !estimated ? "measured" : estimated === done ? "synthesised, with estimated clocks"
      : `measured, ${estimated} of them with an estimated clock`;
    Dom.byId("lead").textContent = `${plural(done, "design")} of ${plural(of("architecture").length, "architecture")} `
      + `at ${widths(of("width"))} bits on ${list(of("target"))}, ${how}`
      + `${left.length ? `; ${list(left)}` : ""}. ${sentence(Data.raw.coverage.words)}.`;
  }

  /** What has no record: not started, impossible. */
  function notTried() {
    const { words, run } = Data.raw.coverage;
    const impossible = (run?.impossible ?? []).map((one) =>
      `${one.count} of ${one.architecture}, such as: ${one.reason}`);
    Dom.fill(Dom.byId("not-tried"), Dom.facts([
      ["Of the space", words],
      ["Not started", run ? String(run.not_started) : "unknown"],
      ["Impossible", run ? String(Data.raw.counts.impossible) : "unknown"],
      ...impossible.map((text) => ["", text]),
    ]));
  }

  /** Beside a time: that its clock is estimated, or one that nobody read in its source. */
  const doubt = (key, point) => {
    const text = key === "area" ? "" : Format.doubt(point);
    return text && text.replace("(", "(clock ");
  };

  /** The best of the points that pass, one for each of these figures. */
  function tiles() {
    const passing = State.passing();
    const tile = ([what, key]) => {
      const quantity = Data.quantities.get(key);
      const sign = quantity.better === "high" ? -1 : 1;
      const known = passing.filter((point) => point.figures[key] !== undefined);
      const best = known.reduce((a, b) => (a && sign * a.figures[key] <= sign * b.figures[key] ? a : b), null);
      const unit = Format.unit(quantity, known);
      if (!best || !unit) return null; // of different units
      const figure = Format.number(best.figures[key]);
      return Dom.make("li", {}, Dom.make("button", { type: "button", onclick: () => Panel.open(best.number) },
        Dom.make("div", { class: "what" }, what),
        Dom.make("div", { class: "figure" }, figure, " ", Dom.make("small", unit.length > SHORT ? { class: "long" } : {}, unit)),
        Dom.make("div", { class: "who" }, best.label, doubt(key, best))));
    };
    Dom.fill(Dom.byId("tiles"), [["Smallest", "area"], ["Least time per product", "per_product"],
      ["Shortest latency", "latency"], ["Least area × time", "area_time"]].map(tile));
  }

  function provenance() {
    const records = Data.points.map((point) => point.record);
    const each = (of) => [...new Set(records.map(of))].sort();
    const tools = each((record) => Object.entries(record.tools).map((pair) => pair.join(" ")).join(", "));
    const finished = records.map((record) => record.finished).sort();
    const hours = records.reduce((sum, record) => sum + record.seconds.total, 0) / 3600;
    const { done, outside, failed, not_started: open, impossible } = Data.raw.counts;
    const counts = `${done} measured, ${outside} outside, ${failed} failed`;
    const known = open === undefined ? "" : `, ${open} not started, ${impossible} impossible`;
    const doubts = [...new Set(Data.points.map((point) => point.unverified).filter(Boolean))];
    const verified = records.filter((record) => record.verified).length;
    Dom.fill(Dom.byId("provenance-card"), Dom.facts([
      ["Points", counts + known], ["Of the space", Data.raw.coverage.words],
      ["Verified", `${verified} of ${records.length} compared with the integers before anything was measured`],
      ["Tools", tools.join("; ")],
      ["Seeds", each((record) => record.seeds).join(", ")],
      ["Sources", each((record) => record.sources).join(", ")],
      ["Measured", finished.length ? `${finished[0]} to ${finished.at(-1)}, ${Format.number(hours)} hours of work` : ""],
      ["Area", `${Format.weighted("LUT equivalents", Data.points)}: LUTs, and for a DSP block and a block RAM as many as `
        + "its device has for each; in cell libraries the area of the cells.  Of the core alone, without "
        + "the adapter of interface stream, which published designs do not have either"],
      ["Time", "usable: routed, within the limits of the hard blocks; estimated: added up over the netlist, "
        + "nothing routed; critical path: of cells, no wires.  Published: the routed clocks of their chips"],
      ["Unverified clock limits", doubts.join("; ")],
      ["Published", [...new Set(Data.beside(Data.drawn).map((one) => one.source))].join("; ")],
      ["Page", `modmul ${Data.raw.version}; nothing is loaded from elsewhere`],
    ]));
  }

  return { lead, tiles, provenance, notTried };
})();
