"use strict";

/** Names beside the points of the front, where there is room for them. */
const Labels = (() => {
  const LETTER = 6.1; // pixels
  const LINE = 14;
  const LONGEST = 26; // letters of a line
  const MOST = 16; // labels
  const CROWD = 300; // of more points than these, only those of the front are kept free
  const [LEFT, RIGHT, TOP, BOTTOM] = [130, 95, 70, 95]; // of the chart, around its points, about
  const PLACES = [["left", "bottom"], ["left", "top"], ["right", "bottom"], ["right", "top"]];

  const scaled = (value, log) => (log ? Math.log10(value) : value);

  /** Where a point will be, in pixels from the top left corner, about. */
  function places(points, chart, logarithmic) {
    const along = (key, log, length) => {
      const values = points.map((point) => scaled(point.figures[key], log));
      const [low, high] = [Math.min(...values), Math.max(...values)];
      return (point) => (scaled(point.figures[key], log) - low) / (high - low || 1) * length;
    };
    const x = along(State.now.x, logarithmic.x, chart.clientWidth - LEFT - RIGHT);
    const y = along(State.now.y, logarithmic.y, chart.clientHeight - TOP - BOTTOM);
    return (point) => [LEFT + x(point), chart.clientHeight - BOTTOM - y(point)];
  }

  /** A name in lines, none of them cut. */
  function lines(label) {
    const found = [];
    for (const part of label.split(", ")) {
      const longer = `${found.at(-1)}, ${part}`;
      if (found.length && longer.length <= LONGEST) found[found.length - 1] = longer;
      else {
        if (found.length) found[found.length - 1] += ",";
        found.push(part);
      }
    }
    return found;
  }

  function box([x, y], [side, edge], text) {
    const width = LETTER * Math.max(...text.map((line) => line.length));
    const left = side === "left" ? x + 7 : x - 7 - width;
    const height = LINE * text.length;
    const top = edge === "bottom" ? y - 3 - height : y + 3;
    return [left, top, left + width, top + height];
  }

  const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

  /** logarithmic: whether x and y are.  Annotations for the members of the front; none lies on another or on a point. */
  function of(front, points, chart, logarithmic) {
    if (front.length > MOST || chart.clientWidth < 640) return [];
    const at = places(points, chart, logarithmic);
    const marks = points.length > CROWD ? front : points;
    const taken = marks.map(at).map(([x, y]) => [x - 7, y - 7, x + 7, y + 7]);
    return front.flatMap((point) => {
      const text = lines(point.label);
      const free = PLACES.map((place) => [place, box(at(point), place, text)])
        .find(([, one]) => one[0] > 0 && one[1] > 0 && one[2] < chart.clientWidth - 10
          && !taken.some((other) => meet(one, other)));
      if (!free) return [];
      const [[side, edge], area] = free;
      taken.push(area);
      return [{
        x: scaled(point.figures[State.now.x], logarithmic.x),
        y: scaled(point.figures[State.now.y], logarithmic.y),
        text: text.map(Format.escape).join("<br>"), showarrow: false, align: side, xanchor: side, yanchor: edge,
        xshift: side === "left" ? 7 : -7, yshift: edge === "bottom" ? 3 : -3,
        font: { size: 11.5, color: Theme.variable("soft") },
      }];
    });
  }

  return { of };
})();
