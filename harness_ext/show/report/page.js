/* Draws the charts and tables of a page, with the libraries beside this file. */
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");

/* Letters as large as those of tables; Vega's are of 10 pixels. */
const letters = { labelFontSize: 14, titleFontSize: 14 };

function drawCharts() {
  for (const place of document.querySelectorAll(".chart")) {
    const spec = JSON.parse(document.getElementById(place.dataset.spec).textContent);
    vegaEmbed(place, spec, {
      renderer: "svg",
      theme: dark.matches ? "dark" : undefined,
      config: {
        background: "transparent", font: getComputedStyle(document.body).fontFamily,
        axis: letters, header: letters, legend: letters, title: { fontSize: 16, subtitleFontSize: 14 }, text: { fontSize: 14 },
      },
      actions: { export: true, source: false, compiled: false, editor: false },
    }).then(() => {
      // name the picture as a whole, not its hundreds of marks; the tables of the page have its figures
      const picture = place.querySelector("svg.marks");
      for (const part of picture.querySelectorAll("[role]")) {
        for (const name of ["role", "aria-roledescription", "aria-label"]) part.removeAttribute(name);
      }
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", place.getAttribute("aria-label"));
      place.querySelector("summary").setAttribute("aria-label", "Save this picture");
    }).catch((error) => { place.textContent = `This picture cannot be drawn: ${error.message}`; });
  }
}

async function makeTables() {
  const found = document.querySelectorAll("table.sortable");
  if (!found.length) return;
  const { default: DataTable } = await tables;
  for (const table of found) {
    const long = table.tBodies[0].rows.length > 25;
    new DataTable(table, {
      order: [],
      columnDefs: [{ targets: "figure", searchable: false, orderSequence: ["desc", "asc"] }],
      searching: table.tBodies[0].rows.length > 5,
      orderClasses: false, // they would color each cell of the column
      paging: long,
      info: long,
      pageLength: 25,
      autoWidth: false,
      language: { search: "Search:", searchPlaceholder: "words" },
    });
  }
}

function followTheme() {
  document.documentElement.classList.toggle("dark", dark.matches);
  if (window.vegaEmbed) drawCharts();
}

dark.addEventListener("change", followTheme);
followTheme();
makeTables();
