/* The tables and charts of the first page. DataTables holds all rows; only rows on the screen are in the page. */
"use strict";

const [SCORE, BEST, WORST, TRUST, LOW, HIGH] = [0, 1, 2, 3, 4, 5];
const [SELF_REPORTED, FAR] = [0, 1e6];
const [LONG, MOST] = [25, 12]; // rows of a page of a table, models of a chart

/* Strangers write the texts, so they only become text nodes. */
function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

const digits = (value) => value.toFixed(3).replace(/^(-?)0\./, "$1.");
const ranks = (best, worst) => (best === worst ? `${best}` : `${best}–${worst}`);

function short(count) {
  const [size, unit] = count >= 1e9 ? [1e9, " B"] : count >= 1e6 ? [1e6, " M"] : count >= 1e3 ? [1e3, " K"] : [1, ""];
  return `${Number((count / size).toPrecision(3))}${unit}`;
}

/* One element, not several: a page of the table has hundreds of cells, and is drawn again at every key. */
function badge(text, said, isFirst) {
  const made = element("span", text, isFirst ? "rank first" : "rank");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", said);
  made.title = said;
  return made;
}

function fillCell(place, cell) {
  if (cell === null) {
    place.classList.add("none");
    return place.append("–");
  }
  if (typeof cell === "number") return place.append(digits(cell));
  const [sign, trust] = board.trust[cell[TRUST]];
  const set = cell[BEST] ? ranks(cell[BEST], cell[WORST]) : "";
  const rank = set ? `rank ${set}; ${trust}` : trust;
  place.append(`${digits(cell[SCORE])} `, badge(`${set || trust} ${sign}`, rank, cell[BEST] === 1));
  if (cell.length > LOW) place.append(element("small", `${digits(cell[LOW])} to ${digits(cell[HIGH])}`));
}

/* The value to sort by, greater is better. Self-reported scores stand below all others, as in their ranks. */
function order(column, cell) {
  if (cell === null) return -Infinity;
  const score = (column.lower ? -1 : 1) * (typeof cell === "number" ? cell : cell[SCORE]);
  return cell[TRUST] === SELF_REPORTED ? score - FAR : score;
}

function figure(label, value, fill) {
  return {
    data: (row, type) => (type === "display" ? "" : value(row)),
    createdCell: (place, _, row) => {
      place.dataset.label = label; // of the cards on a narrow screen
      fill(place, row);
    },
    className: "figure", searchable: false, type: "num", orderSequence: ["desc", "asc"],
  };
}

const MODEL = {
  data: (row, type) => (type === "display" ? "" : row.name), className: "model", type: "string",
  createdCell: (place, _, row) => {
    if (!row.page) return place.append(row.name, element("small", "control encoder"));
    const link = element("a", row.name);
    link.href = row.page;
    link.title = row.about;
    place.append(link);
  },
};

const known = (place, made) => { if (made === null) place.classList.add("none"); place.append(made ?? "–"); };

const PARAMETERS = figure("Parameters", (row) => row.parameters ?? -1,
  (place, row) => known(place, row.parameters == null ? null : short(row.parameters)));

function scoreColumn(n) {
  const column = board.columns[n], label = `${column.task}, ${column.data}`;
  return figure(label, (row) => order(column, row.cells[n]), (place, row) => fillCell(place, row.cells[n]));
}

/* The ranking has all models; the other tables have those with a score in one of their columns. */
function makeTable(DataTable, place, numbers, isRanking) {
  const all = [...board.rows, ...board.controls];
  const rows = all.filter((row) => (isRanking && row.page) || numbers.some((n) => row.cells[n] !== null));
  const isLong = rows.length > LONG;
  return new DataTable(place, {
    data: rows,
    columns: [MODEL, ...numbers.map(scoreColumn), ...(isRanking ? [PARAMETERS] : [])],
    order: [[1, "desc"]],
    pageLength: LONG,
    paging: isLong,
    info: isLong,
    searching: isRanking || isLong,
    autoWidth: false,
    orderClasses: false, // they would colour each cell of the column
    createdRow: (line, row) => { if (!row.page) line.className = "control"; },
    language: { search: "Search models:", emptyTable: "There is no result.", lengthMenu: "_MENU_ models a page" },
  });
}

/* A dot, the bar of its interval, and a dashed line at 0; `low` and `high` are the ends of the track. */
function track([low, high], dot, interval, colour) {
  const made = element("span", undefined, "track"), size = high - low || 1;
  const mark = (name, from, to) => {
    const part = element("span", undefined, name);
    part.style.left = `${((from - low) / size) * 100}%`;
    if (to !== undefined) part.style.width = `${((to - from) / size) * 100}%`;
    made.append(part);
  };
  made.style.color = colour;
  mark("chance-line", 0);
  if (interval.length) mark("bar", ...interval);
  mark("dot", dot);
  return made;
}

/* A model's name, without its publisher unless two models would share it. */
const own = (row) => row.name.slice(row.name.lastIndexOf("/") + 1);
const sameName = Object.create(null); // a model may be called `constructor`
for (const row of board.rows) sameName[own(row)] = (sameName[own(row)] ?? 0) + 1;

/* Small multiples: a panel per list and category, as many side by side as fit. Each lists the models in the order of scores. */
function drawPanels(rows) {
  const made = board.tables[0].map((n) => {
    const found = rows.filter((row) => row.cells[n]);
    return found.length ? panel(board.columns[n], n, found.sort((a, b) => b.cells[n][SCORE] - a.cells[n][SCORE])) : null;
  }).filter(Boolean);
  document.getElementById("panels").replaceChildren(...made);
  document.getElementById("charts").hidden = !made.length;
  document.getElementById("charts-more").textContent =
    board.rows.length > MOST ? ` The first ${MOST} of the ${board.rows.length} models in the ranking.` : "";
}

function panel(column, n, rows) {
  const ends = [0, ...rows.flatMap((row) => row.cells[n].filter((_, place) => place === SCORE || place >= LOW))];
  const made = element("figure", undefined, "panel");
  const caption = element("figcaption");
  caption.append(element("b", column.task), element("small", column.data));
  const list = element("ol");
  for (const row of rows) {
    const cell = row.cells[n], line = element("li");
    const name = element("span", sameName[own(row)] > 1 ? row.name : own(row), "name");
    name.title = row.name;
    const shade = `hsl(${(board.rows.indexOf(row) * 137.5) % 360} 65% var(--lightness))`;
    line.append(name, track([Math.min(...ends), Math.max(...ends)], cell[SCORE], cell.slice(LOW), shade),
      element("span", digits(cell[SCORE]), "value"));
    list.append(line);
  }
  made.append(caption, list);
  return made;
}

async function makeBoard() {
  const { default: DataTable } = await tables;
  const [ranking] = [...document.querySelectorAll("table.board")].map(
    (place, n) => makeTable(DataTable, place, board.tables[n], n === 0));
  drawPanels(ranking.rows({ order: "applied" }).data().toArray().filter((row) => row.page).slice(0, MOST));
  window.boardTable = ranking;
}

makeBoard();
