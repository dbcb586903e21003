/* Figures, ranks, intervals, and a colour per model, for the first page and the page of two models. */
"use strict";

const [SCORE, BEST, WORST, TRUST, BASIS, LOW, HIGH] = [0, 1, 2, 3, 4, 5, 6];

/* Strangers write the texts, so they only become text nodes. */
function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

const digits = (value) => value.toFixed(3).replace(/^(-?)0\./, "$1.");
const between = (low, high) => `${digits(low)} to ${digits(high)}`;

/* One element, not several: a page of the table has hundreds of cells, and is drawn again at every key. */
function badge(text, said, isFirst) {
  const made = element("span", text, isFirst ? "rank first" : "rank");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", said);
  made.title = said;
  return made;
}

const ranks = (best, worst) => (best === worst ? `${best}` : `${best}–${worst}`);
const overallRank = (row) => (row.mean ? ranks(row.mean[0], row.mean[1]) : "");
const overall = (row) => (row.mean ? badge(overallRank(row), `overall rank ${overallRank(row)}`, row.mean[0] === 1) : "–");

function fillCell(place, cell) {
  if (cell === null) {
    place.classList.add("none");
    return place.append("–");
  }
  if (typeof cell === "number") return place.append(digits(cell));
  const [sign, trust] = board.trust[cell[TRUST]];
  const set = cell[BEST] ? ranks(cell[BEST], cell[WORST]) : "";
  const rank = set ? `rank ${set} (${board.basis[cell[BASIS]]}); ${trust}` : trust;
  place.append(`${digits(cell[SCORE])} `, badge(`${set || trust} ${sign}`, rank, cell[BEST] === 1));
  if (cell.length > LOW) place.append(element("small", between(cell[LOW], cell[HIGH])));
}

/* A dot, the bar of its interval, and a dashed line at the reference; `low` and `high` are the ends of the track. */
function track([low, high], dot, interval, line, colour) {
  const made = element("span", undefined, "track"), size = high - low || 1;
  const mark = (name, from, to) => {
    const part = element("span", undefined, name);
    part.style.left = `${((from - low) / size) * 100}%`;
    if (to !== undefined) part.style.width = `${((to - from) / size) * 100}%`;
    made.append(part);
  };
  made.style.color = colour;
  if (line !== null) mark("chance-line", line);
  if (interval.length) mark("bar", ...interval);
  mark("dot", dot);
  return made;
}

/* A model's name, without its publisher unless two models would share it. */
const own = (row) => row.name.slice(row.name.lastIndexOf("/") + 1);
const sameName = Object.create(null); // a model may be called `constructor`
for (const row of board.rows) sameName[own(row)] = (sameName[own(row)] ?? 0) + 1;
const shortName = (row) => (sameName[own(row)] > 1 ? row.name : own(row));
board.rows.forEach((row, n) => { row.shade = `hsl(${(n * 137.5) % 360} 65% var(--lightness))`; });

/* Quotes a name for a shell, so that any name stays one word. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const compareCommand = (rows) =>
  `harness-ext compare RESULTS ${rows.map((row) => `-m ${quoted(row.model ?? row.name)}`).join(" ")}${board.shown === "gain" ? " --score gain" : ""}`;
const pageName = (row) => row.page.replace(/^models\/|\.html$/g, "");
