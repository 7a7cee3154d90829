"use strict";

/** All that is known of one point, and what builds it again. */
const Panel = (() => {
  const panel = Dom.byId("panel");
  let before = null; // what had the focus

  function copied(text, what) {
    const button = Dom.make("button", { type: "button", class: "quiet", "aria-label": `Copy ${what}` }, "Copy");
    button.addEventListener("click", async () => {
      button.textContent = (await toClipboard(text)) ? "Copied" : "Press Ctrl+C";
      setTimeout(() => { button.textContent = "Copy"; }, 1800);
    });
    return Dom.make("div", { class: "copy" }, Dom.make("pre", { tabindex: "0" }, text), button);
  }

  async function toClipboard(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = Dom.make("textarea", { style: "position:fixed;opacity:0" });
      area.value = text;
      panel.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  const part = (title, ...content) => (content.some((one) => one?.childElementCount)
    ? [Dom.make("h3", {}, title), ...content] : []);

  function figures(point) {
    return Dom.facts([...Data.quantities.values()]
      .filter(({ key }) => point.figures[key] !== undefined)
      .map((quantity) => [quantity.label, Format.value(quantity, point)]));
  }

  function cycles({ cycles, by_mode: modes }) {
    const pairs = cycles ? [["Latency", Format.number(cycles.latency)],
      ["Interval of a slot", Format.number(cycles.interval)],
      ["Per product", Format.number(cycles.per_product)],
      ["Eight products", Format.number(cycles.eight)]] : [];
    const times = (mode) => (mode.per_product_time
      ? `, ${Format.number(mode.per_product_time.value)} ${mode.per_product_time.unit} per product` : "");
    return Dom.facts([...pairs, ...(modes ?? []).map((mode) => [mode.mode,
      `latency ${Format.number(mode.latency)}, ${Format.number(mode.per_product)} per product${times(mode)}`])]);
  }

  function clock(record) {
    const { fmax_mhz: found, critical_path: path, cell_path: cells, levels, estimate,
      estimated_mhz: estimated, time } = record;
    return Dom.facts([
      ["Kind of time", time?.kind],
      ["Usable", found && `${found.usable} MHz, limited by ${found.limited_by}`],
      ["Estimated", estimated && `${estimated.mhz} MHz, ${estimated.low} to ${estimated.high}; limited by `
        + `${estimated.limited_by}; ${estimated.source}`],
      ["Routed", found && `median ${found.median} MHz, best ${found.best} MHz`],
      ["By seed", found && found.seeds.map(({ seed, mhz }) => `${seed}: ${mhz}`).join(", ")],
      ["Critical path", path && `${path.from} → ${path.to}, ${path.ns} ns, ${path.wire_ns} ns of it wires`],
      ["Through", path?.through],
      ["Longest path", cells && `${cells.from} → ${cells.to}, ${cells.value} ${cells.unit}`],
      ["Through", cells?.through],
      ["LUTs in series", levels && `${levels.lut_levels}: ${levels.from} → ${levels.to}`],
      ["Estimate", estimate && `${estimate.delay_ns} ns (${estimate.label}); ${estimate.source}`
        + `${estimate.verified ? "" : "; not all of it verified"}`],
    ]);
  }

  function cells(record) {
    const kinds = Object.entries(record.cells ?? {}).sort((a, b) => b[1] - a[1]);
    return Dom.facts(kinds.map(([name, count]) => [name, Format.number(count)]));
  }

  /** What interface stream adds to the core. */
  function adapter({ adapter: added, cell_adapter: cells }) {
    return Dom.facts([
      ["Adapter", added && `${added.lut} LUT, ${added.ff} FF, ${added.ram_bits} bits of RAM`],
      ["Routed with it", added?.mhz_with_core && `${added.mhz_with_core} MHz`],
      ["Adapter", cells && `${Format.number(cells.area.value)} ${cells.area.unit}`],
    ]);
  }

  function forecast({ forecast: said, lut, ff, dsp, fmax_mhz: clock }) {
    if (!said) return null;
    const beside = (told, found) => `${Format.number(told)}${found === undefined ? "" : ` (measured ${Format.number(found)})`}`;
    return Dom.facts([["LUTs", beside(said.lut, lut)], ["Flip-flops", beside(said.ff, ff)],
      ["DSP blocks", beside(said.dsp, dsp)],
      [clock ? "Routed clock" : "Clock", said.mhz && `${beside(said.mhz, clock?.median)} MHz`]]);
  }

  function provenance(record) {
    const { verified, seconds } = record;
    const tools = Object.entries(record.tools).map(([name, version]) => `${name} ${version}`).join(", ");
    return Dom.facts([
      ["Verified", verified && `${verified.products} products, ${verified.golden} bit for bit, `
        + `${Format.number(verified.cycles)} cycles, seed ${verified.seed}`],
      ["Seeds", record.seeds], ["Tools", tools], ["Sources", record.sources], ["Key", record.key],
      ["Measured", `${record.finished}, in ${Format.number(seconds.total)} s`],
    ]);
  }

  function content(point) {
    const { record } = point;
    const options = Object.entries(record.spec).filter(([, value]) => value !== null && value !== undefined);
    const close = Dom.make("button", { type: "button", class: "quiet", onclick: shut }, "Close");
    const badges = [[record.status, record.status], ["", `${record.timing} time`], ["", point.group]];
    return [
      Dom.make("header", {},
        Dom.make("div", {}, Dom.make("h2", { id: "panel-title", tabindex: "-1" }, point.label),
          Dom.make("p", {}, record.title)), close),
      Dom.make("div", { class: "body" },
        Dom.make("p", {}, badges.map(([kind, text]) =>
          [Dom.make("span", { class: `badge ${kind}` }, text), " "])),
        ...(record.reason ? [Dom.make("h3", {}, "Reason"), Dom.make("p", {}, record.reason)] : []),
        Dom.make("h3", {}, "Build it again"), copied(point.command, "the command"),
        copied(point.toml, "the specification"),
        Dom.make("h3", {}, "Parameters"), Dom.make("p", {}, point.parameters),
        ...part("Figures of the core alone", figures(point)),
        ...part("Besides, with interface stream", adapter(record)), ...part("Cycles", cycles(record)),
        ...part("Clock and paths", clock(record)), ...part("Cells", cells(record)),
        ...part("Estimate by formula", forecast(record)),
        ...part("Every option", Dom.facts(options.map(([key, value]) => [key, String(value)]))),
        ...part("Provenance", provenance(record))),
    ];
  }

  /** On a wide screen the page moves aside; the charts have to be told. */
  function room(wanted) {
    if (document.body.classList.toggle("opened", wanted) !== wanted) return;
    requestAnimationFrame(() => dispatchEvent(new Event("resize")));
  }

  function open(number) {
    if (!panel.open) before = document.activeElement;
    Dom.fill(panel, content(Data.points[number]));
    if (!panel.open) panel.show();
    panel.scrollTop = 0;
    room(true);
    Dom.byId("panel-title").focus({ preventScroll: true });
    State.set({ open: number });
  }

  function shut() {
    if (!panel.open) return;
    panel.close();
    room(false);
    State.set({ open: null });
    if (before?.isConnected) before.focus({ preventScroll: true });
  }

  document.addEventListener("keydown", (event) => event.key === "Escape" && shut());

  return { open };
})();
