/* The table of the first page: DataTables holds the rows, and only those on the screen are in the page. */
"use strict";

const [CHOOSE, MODEL, RANK, MEAN, PARAMETERS, FIRST] = [0, 1, 2, 3, 4, 5];
const [OPEN, INSTRUCTED, ZERO_SHOT] = [1, 2, 3];
const [SCORE, BEST, WORST, TRUST, BASIS, LOW, HIGH] = [0, 1, 2, 3, 4, 5, 6];
const [SELF_REPORTED, FAR] = [0, 1e6];
const chosen = new Set();

/* Texts come from strangers: they only ever become text nodes. */
function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

const digits = (value) => value.toFixed(3).replace(/^(-?)0\./, "$1.");
const interval = (cell) => (cell.length > LOW ? `${digits(cell[LOW])} to ${digits(cell[HIGH])}` : "");

function short(count) {
  const [size, unit] = count >= 1e9 ? [1e9, " B"] : count >= 1e6 ? [1e6, " M"] : count >= 1e3 ? [1e3, " K"] : [1, ""];
  return `${Number((count / size).toPrecision(3))}${unit}`;
}

/* One element with a name, not several: a page of the table has hundreds of cells, and is drawn anew at every key. */
function badge(text, said, isFirst) {
  const made = element("span", text, isFirst ? "rank first" : "rank");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", said);
  made.title = said;
  return made;
}

const ranks = (best, worst) => (best === worst ? `${best}` : `${best}–${worst}`);
const overall = (row) => (row.mean ? badge(ranks(row.mean[0], row.mean[1]), `overall rank ${ranks(row.mean[0], row.mean[1])}`, row.mean[0] === 1) : "–");

function fillCell(place, cell) {
  if (!cell) return place.append("–");
  if (typeof cell === "number") return place.append(digits(cell));
  const [sign, trust] = board.trust[cell[TRUST]];
  const set = cell[BEST] ? ranks(cell[BEST], cell[WORST]) : "";
  const rank = set ? `rank ${set} (${board.basis[cell[BASIS]]}); ${trust}` : trust;
  place.append(`${digits(cell[SCORE])} `, badge(`${set || trust} ${sign}`, rank, cell[BEST] === 1));
  if (cell.length > LOW) place.append(element("small", interval(cell)));
}

/* What a column is sorted by, the better the greater: self-reported scores stand below all others, as in their ranks. */
function order(column, cell) {
  if (!cell) return -Infinity;
  const score = (column.lower ? -1 : 1) * (typeof cell === "number" ? cell : cell[SCORE]);
  return cell[TRUST] === SELF_REPORTED ? score - FAR : score;
}

function columns(refresh) {
  const figure = (value, fill, order) => ({
    data: (row, type) => (type === "display" ? "" : value(row)),
    createdCell: (place, _, row) => fill(place, row),
    className: "figure", searchable: false, type: "num", orderSequence: order,
  });
  const down = ["desc", "asc"], up = ["asc", "desc"];
  return [
    {
      data: () => "", orderable: false, searchable: false,
      createdCell: (place, _, row) => {
        if (row.published) return place.append(element("small", row.kind));
        const box = element("input");
        box.type = "checkbox";
        box.checked = chosen.has(row);
        box.setAttribute("aria-label", `Choose ${row.name}`);
        box.addEventListener("change", () => { chosen[box.checked ? "add" : "delete"](row); refresh(); });
        row.box = box;
        place.append(box);
      },
    },
    {
      data: (row, type) => (type === "display" ? "" : row.name), className: "model", type: "string",
      createdCell: (place, _, row) => {
        if (!row.page) return place.append(row.name);
        const link = element("a", row.name);
        link.href = row.page;
        link.title = row.about;
        place.append(link);
      },
    },
    figure((row) => row.mean?.[0] ?? Infinity,
      (place, row) => place.append(overall(row)), up),
    figure((row) => -(row.mean?.[2] ?? -Infinity), (place, row) => {
      if (!row.mean) return place.append("–");
      place.append(`${row.mean[2]}`);
    }, up),
    figure((row) => row.facts?.[0] ?? -1,
      (place, row) => place.append(row.facts?.[0] == null ? "–" : short(row.facts[0])), up),
    ...board.columns.map((column, n) => ({
      ...figure((row) => order(column, row.cells[n]), (place, row) => fillCell(place, row.cells[n]), down),
      className: column.unverified ? "figure unverified" : "figure",
    })),
  ];
}

const answers = { yes: true, no: false, unknown: null };

function matches(row, wanted, only) {
  if (row.published) return wanted.published && !only;
  if (only && !chosen.has(row)) return false;
  for (const [name, place] of [["open", OPEN], ["instructed", INSTRUCTED], ["zeroShot", ZERO_SHOT]]) {
    if (wanted[name] && row.facts[place] !== answers[wanted[name]]) return false;
  }
  if (wanted.precision && row.precision !== wanted.precision) return false;
  if (wanted.language && !board.languages[row.facts[4]].includes(wanted.language)) return false;
  const millions = row.facts[0] === null ? null : row.facts[0] / 1e6;
  if (wanted.least !== "" && (millions === null || millions < Number(wanted.least))) return false;
  if (wanted.most !== "" && (millions === null || millions > Number(wanted.most))) return false;
  return !wanted.trust || row.cells.every((cell) => !cell || cell[TRUST] >= Number(wanted.trust));
}

function addOptions(select, values) {
  for (const value of [...new Set(values)].sort()) if (value) select?.add(new Option(value, value));
}

/* For a shell: whatever a stranger calls a model, it stays one word. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function showChosen() {
  const section = document.getElementById("chosen");
  const models = [...chosen];
  section.hidden = !models.length;
  document.getElementById("chosen-said").textContent =
    `${models.length} ${models.length === 1 ? "model is" : "models are"} chosen.`;
  document.getElementById("chosen-command").textContent =
    `harness-ext compare RESULTS ${models.map((row) => `-m ${quoted(row.model ?? row.name)}`).join(" ")}${window.board.shown === "gain" ? " --score gain" : ""}`;
  document.getElementById("chosen-link").href = LINKED + models.map(pageName).join(",");
  const table = document.getElementById("chosen-table");
  table.replaceChildren();
  const head = table.createTHead().insertRow();
  for (const text of ["Task", ...models.map((row) => row.name)]) {
    const cell = element("th", text);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  const line = (title, fill) => {
    const row = body.insertRow();
    const cell = element("th", title);
    cell.scope = "row";
    row.append(cell);
    for (const model of models) fill(row.insertCell(), model);
  };
  line("Overall rank", (place, row) => place.append(overall(row)));
  board.columns.forEach((column, n) => {
    if (models.some((row) => row.cells[n])) {
      line(`${column.task}, ${column.data}`, (place, row) => fillCell(place, row.cells[n]));
    }
  });
}

/* One colour per model, the same in every panel; beside it the name, without its publisher if no other model has it. */
const own = (row) => row.name.slice(row.name.lastIndexOf("/") + 1);
const sameName = Object.create(null); // a model may be called as anything is
for (const row of board.rows) sameName[own(row)] = (sameName[own(row)] ?? 0) + 1;
const shortName = (row) => (sameName[own(row)] > 1 ? row.name : own(row));
board.rows.forEach((row, n) => { row.shade = `hsl(${(n * 137.5) % 360} 65% var(--lightness))`; });

const MOST = 12;

/* Small multiples: a panel per column, as many side by side as fit; in each the models in the order of their scores. */
function drawPanels(table, data) {
  const rows = table.rows({ search: "applied", order: "applied" }).data().toArray().filter((row) => !row.published);
  const shown = rows.slice(0, MOST);
  const made = board.columns.map((column, n) => {
    const found = shown.filter((row) => row.cells[n]);
    if (!found.length || (data && !column.languages.includes(data))) return null;
    return panel(column, n, found.sort((a, b) => (b.cells[n][SCORE] - a.cells[n][SCORE]) * (column.lower ? -1 : 1)));
  }).filter(Boolean);
  document.getElementById("panels").replaceChildren(...made);
  document.getElementById("charts").hidden = !made.length;
  document.getElementById("charts-said").textContent =
    "Dots are scores, bars their 95 % intervals, dashed lines chance." +
    (rows.length > MOST ? ` The first ${MOST} of the ${rows.length} models in the table below.` : "");
}

function panel(column, n, rows) {
  const ends = rows.flatMap((row) => row.cells[n].filter((_, place) => place === SCORE || place >= LOW));
  if (column.chance !== null) ends.push(column.chance);
  const low = Math.min(...ends), size = Math.max(...ends) - low || 1;
  const made = element("figure", undefined, column.unverified ? "panel unverified" : "panel");
  const caption = element("figcaption");
  caption.append(element("b", `${column.task}, ${column.data}`), element("small",
    `${column.title}${column.lower ? "; less is better" : ""}${column.unverified ? "; unverified data" : ""}`));
  const list = element("ol");
  for (const row of rows) {
    const cell = row.cells[n], line = element("li"), track = element("span", undefined, "track");
    const mark = (name, from, to) => {
      const part = element("span", undefined, name);
      part.style.left = `${((from - low) / size) * 100}%`;
      if (to !== undefined) part.style.width = `${((to - from) / size) * 100}%`;
      track.append(part);
    };
    track.style.color = row.shade;
    if (column.chance !== null) mark("chance-line", column.chance);
    if (cell.length > LOW) mark("bar", cell[LOW], cell[HIGH]);
    mark("dot", cell[SCORE]);
    const name = element("span", shortName(row), "name");
    name.title = row.name;
    line.append(name, track, element("span", digits(cell[SCORE]), "value"));
    list.append(line);
  }
  made.append(caption, list);
  return made;
}

/* The chosen models stand in the address of the link, so that their comparison can be passed on. */
const LINKED = "#chosen=";

function chooseLinked() {
  if (!location.hash.startsWith(LINKED)) return;
  const pages = new Set(location.hash.slice(LINKED.length).split(","));
  for (const row of board.rows) if (pages.has(pageName(row))) chosen.add(row);
}

const pageName = (row) => row.page.replace(/^models\/|\.html$/g, "");

async function makeBoard() {
  const { default: DataTable } = await tables;
  const filters = document.getElementById("filters");
  const only = document.getElementById("chosen-only");
  addOptions(filters.elements.precision, board.rows.map((row) => row.precision));
  addOptions(filters.elements.language, board.languages.flat());
  addOptions(filters.elements.data, board.columns.flatMap((column) => column.languages));
  let wanted = Object.fromEntries(new FormData(filters));
  let table;
  const refresh = () => { showChosen(); if (only.checked) table.draw(); };
  chooseLinked();
  const published = board.published.map((row) => ({ ...row, published: true }));
  table = new DataTable("#board", {
    data: [...board.rows, ...published],
    columns: columns(refresh),
    order: [[RANK, "asc"], [MEAN, "asc"]],
    pageLength: 25,
    lengthMenu: [25, 50, 100, 250],
    autoWidth: false,
    createdRow: (line, row) => { if (row.published) line.className = "published"; },
    language: { search: "Search models:", emptyTable: "There is no result.", lengthMenu: "_MENU_ models a page" },
  });
  table.search.fixed("filters", (_, row) => matches(row, wanted, only.checked));
  /* DataTables takes longer to hide or show a column, or to find that it need not, than to draw the table. */
  const showColumns = () => {
    board.columns.forEach((column, n) => {
      table.column(FIRST + n).visible(!wanted.data || column.languages.includes(wanted.data), false);
    });
    document.getElementById("board").style.setProperty("--columns", table.columns(":visible").count() - FIRST);
  };
  const apply = () => {
    const data = wanted.data;
    wanted = Object.fromEntries(new FormData(filters));
    if (wanted.data !== data) showColumns();
    table.draw();
  };
  filters.addEventListener("input", apply);
  filters.addEventListener("reset", () => setTimeout(apply));
  filters.addEventListener("submit", (event) => event.preventDefault());
  only.addEventListener("change", () => table.draw());
  document.getElementById("chosen-none").addEventListener("click", () => {
    for (const row of chosen) row.box.checked = false;
    chosen.clear();
    only.checked = false;
    refresh();
    table.draw();
  });
  let waiting = 0;
  const panels = () => {
    clearTimeout(waiting); // not at every key
    waiting = setTimeout(() => drawPanels(table, wanted.data), 200);
  };
  table.on("draw", panels);
  drawPanels(table, wanted.data);
  showChosen();
  if (chosen.size) document.getElementById("chosen").scrollIntoView();
  window.boardTable = table;
}

makeBoard();
