"use strict";
(function () {
  const specs = JSON.parse(document.getElementById("charts").textContent);
  const hidden = new Set();
  const views = [];

  function tell(name, value) {
    for (const view of views) {
      if (view.signal && name in view.getState().signals) view.signal(name, value).runAsync();
    }
  }

  function drawLegend() {
    for (const key of document.querySelectorAll("button.key")) {
      key.setAttribute("aria-pressed", String(!hidden.has(key.dataset.series)));
    }
    tell("hidden", [...hidden]);
  }

  for (const key of document.querySelectorAll("button.key")) {
    const name = key.dataset.series;
    key.addEventListener("click", function () {
      if (hidden.has(name)) hidden.delete(name); else hidden.add(name);
      drawLegend();
    });
    const focus = function () { tell("focus", hidden.has(name) ? "" : name); };
    const blur = function () { tell("focus", ""); };
    key.addEventListener("mouseenter", focus);
    key.addEventListener("mouseleave", blur);
    key.addEventListener("blur", blur);
  }
  const all = document.getElementById("all");
  if (all) all.addEventListener("click", function () { hidden.clear(); drawLegend(); });
  for (const choice of document.querySelectorAll("input[name=spread]")) {
    choice.addEventListener("change", function () { tell("spread", choice.value); });
  }

  const options = { actions: false, renderer: "svg", tooltip: { theme: "custom" } };
  Promise.all(specs.map(function (spec, place) {
    return vegaEmbed("#chart-" + place, spec, options).then(function (result) { views[place] = result.view; });
  })).then(function () { document.documentElement.dataset.ready = "true"; });
  window.edgedpViews = views;

  let wait = 0;
  function fit() { clearTimeout(wait); wait = setTimeout(function () { window.dispatchEvent(new Event("resize")); }, 60); }
  window.addEventListener("beforeprint", fit);
  window.addEventListener("afterprint", fit);
}());
