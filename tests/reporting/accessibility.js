// What a reader needs, checked on the page as it is: names of controls, headings in order, contrast.
() => {
  const wrong = [];
  const visible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const text = (id) => document.getElementById(id)?.textContent.trim();

  const named = (element) => element.getAttribute("aria-label")?.trim()
    || (element.getAttribute("aria-labelledby") ?? "").split(" ").map(text).join("").trim()
    || element.labels?.[0]?.textContent.trim() || element.textContent.trim();
  for (const element of document.querySelectorAll("button, select, input, a, dialog, nav, section, [role=img]")) {
    if (visible(element) && !named(element)) wrong.push(`no name: ${element.outerHTML.slice(0, 90)}`);
  }
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption?.textContent.trim()) wrong.push("a table without a caption");
    for (const cell of table.tHead?.rows[0]?.cells ?? []) {
      if (cell.scope !== "col") wrong.push(`no scope: ${cell.textContent}`);
    }
  }

  const levels = [...document.querySelectorAll("h1, h2, h3")].filter(visible)
    .map((heading) => Number(heading.tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1) wrong.push("not one h1");
  levels.forEach((level, place) => {
    if (place && level > levels[place - 1] + 1) wrong.push(`heading ${level} after ${levels[place - 1]}`);
  });
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  const twice = ids.filter((id, place) => ids.indexOf(id) !== place);
  if (twice.length) wrong.push(`ids twice: ${[...new Set(twice)]}`);

  // Contrast as WCAG 2 counts it, of text on the colours that lie under it.
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const parse = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return { rgb: [r, g, b], alpha: a / 255 };
  };
  const under = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(parse(getComputedStyle(one).backgroundColor));
    return layers.reverse().reduce((below, { rgb, alpha }) =>
      below.map((value, k) => rgb[k] * alpha + value * (1 - alpha)), [255, 255, 255]);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const seen = new Map();
  for (const element of document.querySelectorAll("body *:not(script, style, noscript, option)")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !visible(element) || element.closest("svg") || element.closest(".pill.none")) continue;
    const colour = parse(getComputedStyle(element).color).rgb;
    const [high, low] = [light(colour), light(under(element))].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) seen.set(`${element.tagName}.${element.className}`, ratio.toFixed(2));
  }
  for (const [what, ratio] of seen) wrong.push(`contrast ${ratio}: ${what}`);
  return wrong;
}
