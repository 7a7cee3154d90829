"use strict";

/** Light or dark, and the colours and symbols of the charts. */
const Theme = (() => {
  const ORDER = ["auto", "light", "dark"];
  const COLOURS = {
    light: ["#2f4bce", "#d9480f", "#1f7a3a", "#b8256e", "#0b7285", "#7b2fa8", "#8a6300", "#4a5568"],
    dark: ["#93a8ff", "#ff9f5a", "#69db7c", "#ff8fbf", "#5fd3e8", "#d3a5f5", "#f2c94c", "#b4bfd0"],
  };
  // Plotly's names, and the same in a box of 14 by 14.
  const SYMBOLS = [
    ["circle", "M7 1.6a5.4 5.4 0 1 1 0 10.8a5.4 5.4 0 0 1 0-10.8z"],
    ["square", "M2 2h10v10H2z"],
    ["diamond", "M7 .6L13.4 7L7 13.4L.6 7z"],
    ["triangle-up", "M7 1.2l6.2 11H.8z"],
    ["cross", "M4.6 1h4.8v3.6H13v4.8H9.4V13H4.6V9.4H1V4.6h3.6z"],
    ["triangle-down", "M7 12.8L.8 1.8h12.4z"],
    ["hexagon", "M7 .8l5.4 3.1v6.2L7 13.2L1.6 10.1V3.9z"],
  ];
  const listeners = [];
  const button = Dom.byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = "auto";

  const dark = () => (chosen === "auto" ? system.matches : chosen === "dark");
  const variable = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const place = (architecture) => Math.max(0, Data.architectures.indexOf(architecture));
  const palette = () => COLOURS[dark() ? "dark" : "light"];
  const colour = (architecture) => palette()[place(architecture) % palette().length];
  const symbol = (architecture) => SYMBOLS[place(architecture) % SYMBOLS.length][0];

  /** The symbol of an architecture as a small picture. */
  function swatch(architecture) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    const path = document.createElementNS(space, "path");
    svg.setAttribute("viewBox", "0 0 14 14");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", SYMBOLS[place(architecture) % SYMBOLS.length][1]);
    path.setAttribute("fill", colour(architecture));
    svg.append(path);
    return svg;
  }

  /** What all charts have in common. */
  function layout(more = {}) {
    const axis = {
      gridcolor: variable("line"), zerolinecolor: variable("line"), linecolor: variable("line"),
      tickcolor: variable("line"), automargin: true, title: { standoff: 12 },
    };
    const own = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false,
      margin: { l: 12, r: 14, t: 14, b: 12 }, hovermode: "closest",
      font: { family: getComputedStyle(document.body).fontFamily, size: 12.5, color: variable("text") },
      hoverlabel: {
        bgcolor: variable("card"), bordercolor: variable("line"), align: "left",
        font: { color: variable("text"), size: 12.5 },
      },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: variable("soft"), activecolor: variable("accent") },
      legend: { orientation: "h", y: -0.22, x: 0, font: { size: 11.5 } },
    };
    return { ...own, ...more, xaxis: { ...axis, ...more.xaxis }, yaxis: { ...axis, ...more.yaxis } };
  }

  const BELOW_BAR = { l: 12, r: 14, t: 44, b: 12 }; // room above a plot for the buttons of Plotly
  const config = {
    displaylogo: false, responsive: true, displayModeBar: true,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
    toImageButtonOptions: { format: "svg", filename: "modmul" },
  };

  function show() {
    if (chosen === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    button.textContent = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" }[chosen];
    button.setAttribute("aria-label", `Colours: ${chosen}. Press for the next`);
    for (const listener of listeners) listener();
  }

  button.addEventListener("click", () => {
    chosen = ORDER[(ORDER.indexOf(chosen) + 1) % ORDER.length];
    show();
  });
  system.addEventListener("change", () => chosen === "auto" && show());

  return { colour, symbol, swatch, layout, config, BELOW_BAR, variable, palette, show,
    onChange: (listener) => listeners.push(listener) };
})();
