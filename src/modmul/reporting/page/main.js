"use strict";

/** Puts the parts together. */
(async () => {
  const ready = () => { document.documentElement.dataset.ready = "yes"; };

  Theme.show();
  Summary.lead();
  Summary.provenance();
  Summary.notTried();
  if (Data.drawn.length === 0) { // nothing to draw: why not is in the table
    for (const section of document.querySelectorAll(".measured")) section.hidden = true;
    Tables.show();
    ready();
    return;
  }
  State.start();
  Summary.tiles();
  Filters.axes();
  Filters.show();
  Tables.show();
  const charts = await Library.load();
  if (charts) {
    Scatter.start();
    Schedule.start();
    Compare.renew();
  }

  State.onChange((changed) => {
    if (charts) Scatter.show();
    if (changed.length === 1 && changed[0] === "open") {
      Tables.mark(State.now.open);
      if (charts) Schedule.choose(State.now.open);
      return;
    }
    Filters.show();
    Summary.tiles();
    Tables.show();
    if (charts) Compare.renew();
  });
  Theme.onChange(() => {
    for (const one of [Filters, Tables, ...(charts ? [Scatter, Schedule, Compare] : [])]) one.show();
  });
  ready();
})();
