"use strict";
// Two conveniences; every page works without them.
document.documentElement.classList.add("scripted");

// Copy a text to the clipboard.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    const told = button.textContent;
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    } catch {
      const range = document.createRange();
      range.selectNodeContents(source);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = told; }, 1500);
  });
}

// What would be left of the share, while epsilon is typed. In integers, as the ledger counts.
const meter = document.getElementById("left-after");
const field = document.getElementById("field-epsilon");
if (meter && field) {
  const nano = (text) => {
    const found = /^(\d*)(?:\.(\d*))?(?:[eE](-?\d+))?$/.exec(text.trim());
    if (!found || !(found[1] || found[2])) return null;
    const value = Number(text);
    return Number.isFinite(value) ? Math.ceil(value * 1e9 - 1e-6) : null;
  };
  const shown = (amount) => String(Math.round(amount) / 1e9);
  const left = nano(meter.dataset.left);
  const show = () => {
    const cost = nano(field.value);
    const after = cost === null || left === null ? null : left - cost;
    meter.textContent = after === null ? "–" : shown(after);
    meter.classList.toggle("over", after !== null && after < 0);
  };
  field.addEventListener("input", show);
  show();
}
