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

  /** Areas in LUT equivalents say what a DSP counts in them, of some points. */
  function weighted(text, points) {
    const factors = points.map((point) => point.luts_per_dsp)
      .filter((one) => one !== null && one !== undefined).sort((a, b) => a - b);
    if (!text.includes(EQUIVALENTS) || factors.length === 0) return text;
    const said = [...new Set(factors.map(number))].join(" or ");
    return text.replace(EQUIVALENTS, said === "0" ? `${EQUIVALENTS}, DSP blocks count nothing`
      : `${EQUIVALENTS}, 1 DSP = ${said} LUT`);
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
    const doubt = quantity.key === "clock" && point.unverified ? ` (${UNVERIFIED})` : "";
    return (of ? `${text} ${of}` : text) + doubt;
  }

  /** For the texts of Plotly, which has some markup of its own. */
  const escape = (text) => String(text).replace(/[&<>]/g,
    (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[letter]);

  return { number, scaled, rate, unit, value, escape, weighted, UNVERIFIED };
})();
