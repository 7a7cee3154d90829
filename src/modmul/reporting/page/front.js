"use strict";

/** Pareto fronts, one for every group of points that can be compared. */
const Front = (() => {
  const sign = (key) => (Data.quantities.get(key).better === "high" ? -1 : 1);

  /** The points that no other one is as good as in both figures and better in one, from the best
   * in x to the best in y. */
  function of(points, x, y) {
    const known = points
      .filter((point) => point.figures[x] !== undefined && point.figures[y] !== undefined)
      .map((point) => [sign(x) * point.figures[x], sign(y) * point.figures[y], point])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2].number - b[2].number);
    const front = [];
    let best = null;
    for (const one of known) {
      const equal = best !== null && one[0] === best[0] && one[1] === best[1];
      if (best === null || one[1] < best[1] || equal) {
        front.push(one[2]);
        best = one;
      }
    }
    return front;
  }

  /** [name of the group, its front], in the order of the points. */
  function byGroup(points, x, y) {
    const groups = new Map();
    for (const point of points) {
      if (!groups.has(point.group)) groups.set(point.group, []);
      groups.get(point.group).push(point);
    }
    return [...groups].map(([name, members]) => [name, of(members, x, y)])
      .filter(([, front]) => front.length > 0);
  }

  /** How a line between the points of a front runs, so that it bounds what was reached. */
  const shape = (x) => (sign(x) > 0 ? "hv" : "vh");

  return { byGroup, of, shape };
})();
