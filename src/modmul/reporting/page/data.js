"use strict";

/** What the page was made with: the points, the published designs, the simulated schedules. */
const Data = (() => {
  const raw = JSON.parse(Dom.byId("data").textContent);
  const quantities = new Map(raw.quantities.map((quantity) => [quantity.key, quantity]));
  const points = raw.points;
  const drawn = points.filter((point) => point.record.status === "done");
  const leftOut = points.filter((point) => point.record.status !== "done");

  // What points are told apart by.  of: the value of a point.
  const dimensions = [
    { key: "architecture", label: "Architecture", of: (point) => point.record.architecture },
    { key: "target", label: "Target", of: (point) => point.record.spec.library ?? point.record.target },
    { key: "width", label: "Width", of: (point) => point.record.width, unit: " bit" },
    { key: "field", label: "Arithmetic", of: (point) => point.arithmetic },
    { key: "timing", label: "Timing", of: (point) => point.record.timing },
    { key: "slots", label: "In flight", of: (point) => point.record.slots },
  ];
  for (const dimension of dimensions) {
    dimension.values = [...new Set(drawn.map(dimension.of))]
      .sort((a, b) => (typeof a === "number" ? a - b : a < b ? -1 : 1));
  }
  const architectures = [...new Set(points.map((point) => point.record.architecture))].sort();

  /** Published designs that do the same as some points, at the same widths and arithmetic. */
  function beside(some) {
    const kinds = new Set(some.map((point) => `${point.does} ${point.record.width} ${point.arithmetic}`));
    return raw.published.filter((one) =>
      one.does.some((does) => kinds.has(`${does} ${one.width} ${one.arithmetic}`)));
  }

  /** What stands where no record failed or was outside: all was measured only if the counts of the
   * run say so. */
  function nothingLeftOut() {
    const { complete, measured, run } = raw.coverage;
    return complete && measured >= run.points ? "Every point was measured."
      : "No record failed or was outside the space.";
  }

  return { raw, nothingLeftOut, beside, quantities, points, drawn, leftOut, dimensions, architectures };
})();
