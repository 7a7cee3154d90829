"use strict";

/** The library that draws the charts: it stands in the page deflated, and is unpacked here. */
const Library = (() => {
  const MISSING = "This browser cannot unpack the library that draws the charts (DecompressionStream: "
    + "Chrome and Edge 80, Firefox 113, Safari 16.4). The tables below have all figures.";

  async function unpacked() {
    const packed = Uint8Array.from(atob(Dom.byId("plotly").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }

  /** Whether charts can be drawn; where not, each says why. */
  async function load() {
    if (typeof DecompressionStream === "undefined") {
      for (const chart of document.querySelectorAll(".chart")) {
        chart.style.height = "auto";
        chart.removeAttribute("role");
        Dom.fill(chart, Dom.make("p", { class: "empty" }, MISSING));
      }
      return false;
    }
    const script = document.createElement("script");
    script.textContent = await unpacked();
    document.head.append(script);
    return true;
  }

  return { load };
})();
