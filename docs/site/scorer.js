// Sphinx asks this for the place of a result: pages for users first, then those of the project.
var Scorer = {  // not const: searchtools.js declares it again
  score: ([page, title, anchor, descr, score]) =>
    score + (/^docs\/(?!decisions|developer)/.test(page) ? 40 : /^(commands|api)/.test(page) ? 10 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
