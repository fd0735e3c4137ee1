// Below each result of the search: where the words stand in the page. The texts are a script, for a page that was
// opened from a file may fetch nothing.
document.addEventListener("DOMContentLoaded", () => {
  const results = document.querySelector("#search-results");
  if (!results) return;
  const words = (new URLSearchParams(location.search).get("q") || "").toLowerCase().split(/\W+/).filter(Boolean);
  const show = () => {
    for (const item of results.querySelectorAll("li:not([data-snippet])")) {
      item.dataset.snippet = "";
      const link = item.querySelector("a");
      const page = link && link.getAttribute("href").replace(/\.html.*$/, "");
      const text = page && EDGEDP_TEXTS[page];
      if (!text) continue;
      const at = Math.max(0, Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((i) => i >= 0)));
      if (!Number.isFinite(at)) continue;
      const from = text.lastIndexOf(" ", Math.max(0, at - 60)) + 1;
      const below = document.createElement("p");
      below.className = "context";
      below.textContent = (from ? "... " : "") + text.slice(from, from + 200) + " ...";
      item.append(below);
    }
  };
  const texts = document.createElement("script");
  texts.src = "_static/texts.js";
  texts.onload = () => {
    show();
    new MutationObserver(show).observe(results, { childList: true, subtree: true });
  };
  document.head.append(texts);
});
