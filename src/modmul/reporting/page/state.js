"use strict";

/** What is looked at: axes, filters, the point that is open.  Kept in the address of the page. */
const State = (() => {
  const listeners = [];
  const now = {
    x: "area", y: "per_product", logX: true, logY: true, published: "family", onlyFront: false,
    filters: Object.fromEntries(Data.dimensions.map(({ key }) => [key, new Set()])),
    open: null,
  };
  const SIMPLE = ["x", "y", "published"];
  const SWITCHES = ["logX", "logY", "onlyFront"];

  /** The points that all filters but `except` let through; a filter without a choice lets all. */
  function passing(except = null) {
    return Data.drawn.filter((point) => Data.dimensions.every(({ key, of }) =>
      key === except || now.filters[key].size === 0 || now.filters[key].has(of(point))));
  }

  /** At first: what can be compared with each other, and most of it. */
  function start() {
    const sizes = new Map();
    const timed = Data.drawn.filter((point) => point.figures.per_product !== undefined);
    for (const point of timed.length ? timed : Data.drawn) {
      sizes.set(point.group, (sizes.get(point.group) ?? 0) + 1);
    }
    const [largest] = [...sizes].sort((a, b) => b[1] - a[1])[0] ?? [null];
    const first = Data.drawn.find((point) => point.group === largest) ?? Data.drawn[0];
    for (const { key, of, values } of Data.dimensions) {
      if (first && ["target", "width"].includes(key) && values.length > 1) {
        now.filters[key].add(of(first));
      }
    }
    const axes = [["area", "lut", "cycles"], ["per_product", "levels", "latency_cycles"]];
    const shown = Data.drawn.filter((point) => point.group === first?.group);
    const known = (key) => shown.some((point) => point.figures[key] !== undefined);
    now.x = axes[0].find(known) ?? "area";
    now.y = axes[1].find(known) ?? "per_product";
    read();
  }

  function read() {
    const said = new URLSearchParams(location.hash.startsWith("#view?") ? location.hash.slice(6) : "");
    const allowed = { published: ["none", "family", "every"] };
    for (const key of SIMPLE) {
      const value = said.get(key);
      if (value && (allowed[key] ? allowed[key].includes(value) : Data.quantities.has(value))) {
        now[key] = value;
      }
    }
    for (const key of SWITCHES) if (said.has(key)) now[key] = said.get(key) === "1";
    if ([...said.keys()].length === 0) return;
    for (const { key, values } of Data.dimensions) {
      const chosen = new Set((said.get(`f.${key}`) ?? "").split("~"));
      now.filters[key] = new Set(values.filter((value) => chosen.has(String(value))));
    }
  }

  function write() {
    const said = new URLSearchParams();
    for (const key of SIMPLE) said.set(key, now[key]);
    for (const key of SWITCHES) said.set(key, now[key] ? "1" : "0");
    for (const { key } of Data.dimensions) {
      if (now.filters[key].size) said.set(`f.${key}`, [...now.filters[key]].join("~"));
    }
    history.replaceState(null, "", `#view?${said}`);
  }

  function set(changes) {
    Object.assign(now, changes);
    write();
    for (const listener of listeners) listener(Object.keys(changes));
  }

  function toggle(key, value) {
    const chosen = new Set(now.filters[key]);
    if (!chosen.delete(value)) chosen.add(value);
    set({ filters: { ...now.filters, [key]: chosen } });
  }

  const clear = () =>
    set({ filters: Object.fromEntries(Data.dimensions.map(({ key }) => [key, new Set()])) });

  return { now, passing, start, set, toggle, clear, onChange: (one) => listeners.push(one) };
})();
