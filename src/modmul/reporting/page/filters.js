"use strict";

/** Axes and filters above the chart; the pills of the architectures are its legend, too. */
const Filters = (() => {
  const MANY = 16; // values: of more, only those are shown that some point has
  const box = Dom.byId("filters");

  function axes() {
    const known = [...Data.quantities.values()].filter(({ key }) =>
      Data.drawn.some((point) => point.figures[key] !== undefined));
    const pairs = known.map(({ key, label }) => [key, label]);
    for (const [id, key] of [["x", "x"], ["y", "y"], ["published", "published"]]) {
      const select = Dom.byId(id);
      if (id !== "published") Dom.options(select, pairs);
      select.value = State.now[key];
      select.addEventListener("change", () => State.set({ [key]: select.value }));
    }
    for (const [id, key] of [["log-x", "logX"], ["log-y", "logY"], ["only-front", "onlyFront"]]) {
      const input = Dom.byId(id);
      input.checked = State.now[key];
      input.addEventListener("change", () => State.set({ [key]: input.checked }));
    }
    Dom.byId("filtering").open = innerWidth > 704;
    Dom.byId("axes").addEventListener("submit", (event) => event.preventDefault());
    if (!Data.beside(Data.drawn).length) Dom.byId("published").closest("label").hidden = true;
  }

  function pill(dimension, value, count) {
    const input = Dom.make("input", {
      type: "checkbox", checked: State.now.filters[dimension.key].has(value),
      "data-key": dimension.key, "data-value": value,
      onchange: () => State.toggle(dimension.key, value),
    });
    return Dom.make("label", { class: count ? "pill" : "pill none" }, input,
      dimension.key === "architecture" ? Theme.swatch(value) : null,
      Dom.make("span", {}, `${value}${dimension.unit ?? ""}`), Dom.make("small", {}, String(count)));
  }

  function show() {
    const focused = document.activeElement?.dataset ?? {};
    const several = Data.dimensions.filter(({ values }) => values.length > 1);
    Dom.fill(box, several.map((dimension) => {
      const passing = State.passing(dimension.key);
      const count = (value) => passing.filter((point) => dimension.of(point) === value).length;
      return Dom.make("fieldset", {}, Dom.make("legend", {}, dimension.label),
        dimension.values.map((value) => [value, count(value)])
          .filter(([value, members]) => members > 0 || dimension.values.length <= MANY
            || State.now.filters[dimension.key].has(value))
          .map(([value, members]) => pill(dimension, value, members)));
    }));
    const chosen = several.flatMap(({ key, unit }) =>
      [...State.now.filters[key]].map((value) => `${value}${unit ?? ""}`));
    Dom.byId("filtered").textContent = chosen.length ? `(${chosen.join(", ")})` : "(none)";
    if (chosen.length) {
      box.append(Dom.make("div", {}, Dom.make("button",
        { type: "button", class: "quiet", onclick: State.clear }, "Clear filters")));
    }
    if (focused.key) {
      [...box.querySelectorAll("input")].find((input) =>
        input.dataset.key === focused.key && input.dataset.value === focused.value)?.focus();
    }
  }

  return { axes, show };
})();
