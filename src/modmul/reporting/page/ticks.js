"use strict";

/** Round numbers along a logarithmic axis, some of them in every range: those of Plotly leave short
 * ranges without any. */
const Ticks = (() => {
  const FEWEST = 4;
  const NARROW = 640; // pixels: a narrower chart has room for one less
  const MANY = 6; // of a short range
  const SHORT = 3; // greatest by least: below, steps are even
  const STEPS = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7]];

  function even(low, high) {
    const rough = (high - low) / MANY;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, k) => (first + k) * step);
  }

  function between(low, high, fewest) {
    if (high / low < SHORT) return even(low, high);
    const powers = [];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += 1) powers.push(power);
    const sets = STEPS.map((steps) => powers.flatMap((power) => steps.map((step) => step * 10 ** power))
      .filter((value) => value >= low && value <= high));
    return sets.find((values) => values.length >= fewest) ?? sets.at(-1);
  }

  const text = (value) => {
    const round = Number(value.toPrecision(6));
    return round >= 1e5 ? Format.scaled(round) : Format.number(round);
  };

  /** Ticks for the ranges that a chart shows; changes: what Plotly.relayout takes. */
  function changes(chart) {
    const found = {};
    const fewest = chart.clientWidth < NARROW ? FEWEST - 1 : FEWEST;
    for (const name of ["xaxis", "yaxis"]) {
      const { type, range } = chart.layout[name];
      if (type !== "log" || !range) continue;
      const [low, high] = [...range].sort((a, b) => a - b).map((power) => 10 ** power);
      const values = between(low, high, fewest);
      found[`${name}.tickvals`] = values;
      found[`${name}.ticktext`] = values.map(text);
    }
    return found;
  }

  return { changes };
})();
