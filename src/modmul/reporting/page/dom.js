"use strict";

/** Small helpers for elements.  Text always goes in as text, never as markup. */
const Dom = (() => {
  const byId = (id) => document.getElementById(id);

  /** An element; attributes whose value is null or false are left away; `on...` are listeners. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return element;
  }

  function fill(element, ...children) {
    element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null));
    return element;
  }

  /** Options of a select: [value, text] pairs. */
  function options(select, pairs, chosen) {
    fill(select, pairs.map(([value, text]) => make("option", { value }, text)));
    if (chosen !== undefined) select.value = chosen;
  }

  /** A list of facts; pairs without a value are left away. */
  function facts(pairs) {
    const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
    return make("dl", { class: "facts" },
      known.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  }

  return { byId, make, fill, options, facts };
})();
