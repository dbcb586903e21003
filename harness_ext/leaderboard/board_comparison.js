/* Two models side by side. The address names their pages: ?a=…&b=… */
"use strict";

const [AHEAD, FROM, TO] = [0, 1, 2];
const menus = ["a", "b"].map((name) => document.getElementById(name));

/* The lead of the first in each column. The data has each two models once. */
function aheadOf(first, second) {
  const found = differences[`${first},${second}`];
  const turned = differences[`${second},${first}`];
  return found ?? turned?.map((one) => one && [-one[AHEAD], -one[TO], -one[FROM]]) ?? [];
}

const stands = (row) => (row.mean ? `has overall rank ${overallRank(row)}` : "has no overall rank");

function showComparison() {
  const numbers = menus.map((menu) => Number(menu.value)), models = numbers.map((n) => board.rows[n]);
  const ahead = aheadOf(...numbers), ends = [0, ...ahead.flatMap((one) => one?.slice(FROM) ?? [])];
  const scale = [Math.min(...ends), Math.max(...ends)];
  const [first, second] = models.map(shortName);
  history.replaceState(null, "", `?${new URLSearchParams({ a: pageName(models[0]), b: pageName(models[1]) })}`);
  document.title = `${first} and ${second}`;
  document.getElementById("compared").textContent = `${first} and ${second}`;
  document.getElementById("compared-said").textContent =
    `${first} ${stands(models[0])}, ${second} ${stands(models[1])}. ${board.rows.filter((row) => row.mean).length} of ${board.rows.length} models have one.`;
  document.getElementById("compared-command").textContent = compareCommand(models);
  const table = document.getElementById("comparison");
  table.replaceChildren();
  const head = table.createTHead().insertRow(), heading = (cell, text, scope) => {
    const made = element("th", text);
    made.scope = scope;
    cell.append(made);
    return made;
  };
  for (const text of ["Construct or task", first, second, `${first} is ahead by`, "drawn"]) heading(head, text, "col");
  const body = table.createTBody();
  board.columns.forEach((column, n) => {
    if (!column.construct && models.every((row) => row.cells[n] === null)) return;
    if (!column.construct && !column.part && (board.columns[n - 1]?.part ?? true)) {
      const others = body.insertRow();
      others.className = "construct";
      heading(others, "In no construct", "rowgroup").colSpan = 5;
    }
    const line = body.insertRow();
    if (column.construct) line.className = "construct";
    const name = heading(line, column.task, "row");
    name.append(element("small", `${column.data}${column.unverified ? "; unverified data" : ""}${column.lower ? "; less is better" : ""}`));
    if (column.unverified) name.className = "unverified";
    models.forEach((row, place) => {
      const cell = line.insertCell();
      cell.dataset.label = [first, second][place];
      fillCell(cell, row.cells[n]);
    });
    const cell = line.insertCell(), drawn = line.insertCell(), one = ahead[n];
    cell.dataset.label = `${first} is ahead by`;
    cell.classList.toggle("none", !one);
    drawn.className = one ? "drawn" : "none";
    if (!one) return cell.append("–");
    const winner = one[FROM] > 0 ? 0 : one[TO] < 0 ? 1 : null;
    cell.append(`${digits(one[AHEAD])} `,
      element("span", winner === null ? "not told apart" : `${[first, second][winner]} is ahead`, winner === null ? "rank" : "rank first"),
      element("small", between(one[FROM], one[TO])));
    drawn.append(track(scale, one[AHEAD], one.slice(FROM), 0, winner === null ? "var(--chance)" : models[winner].shade));
  });
  document.getElementById("nothing-shared").hidden = board.columns.some((_, n) => models.every((row) => row.cells[n]));
}

const asked = new URLSearchParams(location.search);
menus.forEach((menu, place) => {
  menu.append(...board.rows.map((row, n) => new Option(row.name, n)));
  const found = board.rows.findIndex((row) => pageName(row) === asked.get(menu.id));
  menu.value = found < 0 ? Math.min(place, board.rows.length - 1) : found;
  menu.addEventListener("change", showComparison);
});
showComparison();
