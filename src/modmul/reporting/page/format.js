"use strict";

/** Numbers and units as people read them. */
const Format = (() => {
  const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  const DIGITS = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
  const SCALES = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];

  const EQUIVALENTS = "LUT equivalents";
  const UNVERIFIED = "unverified"; // of a clock: nobody read in its source the limit that decides it

  /** Whole numbers in full, others with four significant digits. */
  function number(value) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    if (value !== 0 && Math.abs(value) < 1e-3) return value.toExponential(2);
    const whole = Number.isInteger(value) || Math.abs(value) >= 1e4;
    return (whole ? WHOLE : DIGITS).format(value);
  }

  /** Large rates in thousands, millions. */
  function scaled(value) {
    if (value === null || value === undefined) return "–";
    const [scale, letter] = SCALES.find(([one]) => Math.abs(value) >= one) ?? [1, ""];
    return `${number(Number((value / scale).toPrecision(4)))}${letter ? " " + letter : ""}`;
  }

  /** Products in a second, or in the unit of time of a cell library. */
  const rate = (value, period) => (value === undefined ? "–" : `${scaled(value)}/${period}`);

  /** Areas in LUT equivalents say what a DSP and a block RAM count in them, of some points. */
  function weighted(text, points) {
    if (!text.includes(EQUIVALENTS)) return text;
    const prices = [["DSP", "luts_per_dsp"], ["block RAM", "luts_per_ram"]].map(([block, key]) => {
      const factors = points.map((point) => point[key])
        .filter((one) => one !== null && one !== undefined).sort((a, b) => a - b);
      const said = [...new Set(factors.map(number))].join(" or ");
      return factors.length === 0 ? "" : said === "0" ? `, ${block} counts nothing` : `, 1 ${block} = ${said} LUT`;
    });
    return text.replace(EQUIVALENTS, EQUIVALENTS + prices.join(""));
  }

  /** Beside a clock: that it is estimated, that an unverified limit decides it. */
  function doubt(point) {
    const doubts = [point.estimated, point.unverified ? UNVERIFIED : ""].filter(Boolean);
    return doubts.length ? ` (${doubts.join("; ")})` : "";
  }

  /** The unit of a quantity for some points; "" where they have different ones. */
  function unit(quantity, points) {
    const names = ["area", "time", "period"];
    if (!names.some((name) => quantity.unit.includes(name))) return quantity.unit;
    const found = new Set(points.map((point) =>
      names.reduce((text, name) => text.replace(name, point.units[name]), quantity.unit)));
    return found.size === 1 ? weighted([...found][0], points) : "";
  }

  function value(quantity, point) {
    const figure = point.figures[quantity.key];
    if (figure === undefined) return "–";
    if (quantity.unit === "1/period") return rate(figure, point.units.period);
    const text = number(figure);
    const of = unit(quantity, [point]);
    return (of ? `${text} ${of}` : text) + (quantity.key === "clock" ? doubt(point) : "");
  }

  /** For the texts of Plotly, which has some markup of its own. */
  const escape = (text) => String(text).replace(/[&<>]/g,
    (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[letter]);

  return { number, scaled, rate, unit, value, escape, weighted, doubt, UNVERIFIED };
})();
