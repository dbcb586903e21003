/* The table of the first page. DataTables holds all rows; only rows on the screen are in the page. */
"use strict";

const [CHOOSE, MODEL, RANK, MEAN, PARAMETERS, FIRST] = [0, 1, 2, 3, 4, 5];
const [OPEN, INSTRUCTED, ZERO_SHOT] = [1, 2, 3];
const [SELF_REPORTED, FAR] = [0, 1e6];
const LABELS = ["", "", "Rank", "Overall", "Parameters", ...board.columns.map((column) => column.construct ? column.task : `${column.task}, ${column.data}`)];
const everyTask = document.getElementById("every-task") ?? { checked: true };
const chosen = new Set();
let wanted = {}; // the values of the filters

function short(count) {
  const [size, unit] = count >= 1e9 ? [1e9, " B"] : count >= 1e6 ? [1e6, " M"] : count >= 1e3 ? [1e3, " K"] : [1, ""];
  return `${Number((count / size).toPrecision(3))}${unit}`;
}

/* Constructs are shown unless a language is chosen; then its mean, its constructs and its tasks. Else tasks if asked for. */
const isShown = (column) =>
  wanted.data ? column.languages.includes(wanted.data) : column.construct ? column.first : everyTask.checked;

/* The value to sort by, greater is better. Self-reported scores stand below all others, as in their ranks. */
function order(column, cell) {
  if (cell === null) return -Infinity;
  const score = (column.lower ? -1 : 1) * (typeof cell === "number" ? cell : cell[SCORE]);
  return cell[TRUST] === SELF_REPORTED ? score - FAR : score;
}

function columns(refresh) {
  const figure = (value, fill, order) => ({
    data: (row, type) => (type === "display" ? "" : value(row)),
    createdCell: (place, _, row, line, n) => {
      place.dataset.label = LABELS[n]; // of the cards on a narrow screen
      fill(place, row);
    },
    className: "figure", searchable: false, type: "num", orderSequence: order,
  });
  const known = (place, text) => { if (text === null) place.classList.add("none"); place.append(text ?? "–"); };
  const down = ["desc", "asc"], up = ["asc", "desc"];
  return [
    {
      data: () => "", orderable: false, searchable: false, className: "choose",
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
    figure((row) => row.mean?.[0] ?? Infinity, (place, row) => known(place, row.mean ? overall(row) : null), up),
    figure((row) => -(row.mean?.[2] ?? -Infinity), (place, row) => known(place, row.mean?.[2] ?? null), up),
    figure((row) => row.facts?.[0] ?? -1,
      (place, row) => known(place, row.facts?.[0] == null ? null : short(row.facts[0])), up),
    ...board.columns.map((column, n) => ({
      ...figure((row) => order(column, row.cells[n]),
        (place, row) => isShown(column) && fillCell(place, row.cells[n]), down), // most columns are hidden
      className: `figure${column.unverified ? " unverified" : ""}${column.construct ? " construct" : ""}`,
      visible: isShown(column),
    })),
  ];
}

const answers = { yes: true, no: false, unknown: null };

function matches(row, only) {
  if (row.published) {
    return wanted.published && !only && board.columns.some((column, n) => row.cells[n] !== null && isShown(column));
  }
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

function showChosen() {
  const models = [...chosen], link = document.getElementById("chosen-link");
  document.getElementById("chosen").hidden = !models.length;
  document.getElementById("chosen-said").textContent =
    `${models.length} ${models.length === 1 ? "model is" : "models are"} chosen.${models.length === 1 ? " Choose another to compare them." : ""}`;
  document.getElementById("chosen-command").textContent = compareCommand(models);
  link.hidden = models.length !== 2;
  if (!link.hidden) link.search = new URLSearchParams({ a: pageName(models[0]), b: pageName(models[1]) });
}

const MOST = 12;

/* Small multiples: a panel per column, as many side by side as fit. Each lists the models in the order of scores. */
function drawPanels(table) {
  const rows = table.rows({ search: "applied", order: "applied" }).data().toArray().filter((row) => !row.published);
  const first = rows.slice(0, MOST);
  const made = board.columns.map((column, n) => {
    const found = first.filter((row) => row.cells[n]);
    if (!found.length || !isShown(column)) return null;
    return panel(column, n, found.sort((a, b) => (b.cells[n][SCORE] - a.cells[n][SCORE]) * (column.lower ? -1 : 1)));
  }).filter(Boolean);
  document.getElementById("panels").replaceChildren(...made);
  document.getElementById("charts").hidden = !made.length;
  document.getElementById("charts-more").textContent =
    rows.length > MOST ? ` The first ${MOST} of the ${rows.length} models in the table below.` : "";
}

function panel(column, n, rows) {
  const ends = rows.flatMap((row) => row.cells[n].filter((_, place) => place === SCORE || place >= LOW));
  if (column.chance !== null) ends.push(column.chance);
  const made = element("figure", undefined, column.unverified ? "panel unverified" : "panel");
  const caption = element("figcaption");
  caption.append(element("b", column.construct ? column.task : `${column.task}, ${column.data}`), element("small",
    `${column.title}${column.construct ? `, ${column.data}` : ""}${column.lower ? "; less is better" : ""}${column.unverified ? "; unverified data" : ""}`));
  const list = element("ol");
  for (const row of rows) {
    const cell = row.cells[n], line = element("li"), name = element("span", shortName(row), "name");
    name.title = row.name;
    line.append(name, track([Math.min(...ends), Math.max(...ends)], cell[SCORE], cell.slice(LOW), column.chance, row.shade),
      element("span", digits(cell[SCORE]), "value"));
    list.append(line);
  }
  made.append(caption, list);
  return made;
}

async function makeBoard() {
  const { default: DataTable } = await tables;
  const filters = document.getElementById("filters");
  const only = document.getElementById("chosen-only");
  const by = document.getElementById("order");
  addOptions(filters.elements.precision, board.rows.map((row) => row.precision));
  addOptions(filters.elements.language, board.languages.flat());
  addOptions(filters.elements.data, board.columns.flatMap((column) => column.languages));
  wanted = Object.fromEntries(new FormData(filters));
  let table;
  const refresh = () => { showChosen(); if (only.checked) table.draw(); };
  const published = board.published.map((row) => ({ ...row, published: true }));
  const models = [...board.rows, ...published];
  table = new DataTable("#board", {
    data: models,
    columns: columns(refresh),
    order: [[RANK, "asc"], [MEAN, "asc"]],
    pageLength: 25,
    lengthMenu: [25, 50, 100, 250],
    autoWidth: false,
    orderClasses: false, // they would colour each cell of the column
    createdRow: (line, row) => { if (row.published) line.className = "published"; },
    language: { search: "Search models:", emptyTable: "There is no result.", lengthMenu: "_MENU_ models a page" },
  });
  table.search.fixed("filters", (_, row) => matches(row, only.checked));
  /* Called only on changes: DataTables takes longer to set the visibility of columns than to draw the table. */
  const showColumns = () => {
    table.clear().rows.add(models); // cells of hidden columns are empty
    board.columns.forEach((column, n) => table.column(FIRST + n).visible(isShown(column), false));
    const there = LABELS.map((label, n) => [label, n]).filter(([label, n]) => label && table.column(n).visible());
    document.getElementById("board").style.setProperty("--columns", there.length - 3);
    by.replaceChildren(...there.map(([label, n]) => new Option(label, n)));
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
  everyTask.addEventListener?.("change", () => { showColumns(); table.draw(); });
  by.addEventListener("change", () => table.order([[Number(by.value), Number(by.value) < FIRST ? "asc" : "desc"]]).draw());
  only.addEventListener("change", () => table.draw());
  document.getElementById("chosen-none").addEventListener("click", () => {
    for (const row of chosen) row.box.checked = false;
    chosen.clear();
    only.checked = false;
    refresh();
    table.draw();
  });
  let waiting = 0;
  table.on("draw", () => {
    clearTimeout(waiting); // not at every key
    waiting = setTimeout(() => drawPanels(table), 200);
  });
  showColumns();
  table.draw();
  drawPanels(table);
  showChosen();
  window.boardTable = table;
}

makeBoard();
