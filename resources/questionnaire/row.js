/* The one line of text that leaves the page. */

/* Written by hand, because an object would take a question named __proto__ for something else. */
function jsonLine(names, values) {
  const pairs = names.map((name, i) => `${JSON.stringify(name)}: ${JSON.stringify(values[i])}`);
  return `{${pairs.join(", ")}}\n`;
}

function csvCell(value) {
  const text = value === null ? "" : String(value);
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLine(cells) {
  return `${cells.map(csvCell).join(",")}\n`;
}

/* The distorted answers as text: a JSON line, or a CSV row under the names of its columns. The arm
   stands among them, and nothing where it does not ask. */
function rowText(survey, drawn) {
  const names = survey.questions.map((question) => question.name);
  const values = drawn.map((one, place) => {
    const listed = survey.questions[place].published;
    return one === null || listed === null ? one : listed[one];
  });
  if (survey.arms) {
    names.splice(survey.arms.place, 0, survey.arms.column);
    values.splice(survey.arms.place, 0, survey.arm);
  }
  if (survey.format === "json") return jsonLine(names, values);
  return csvLine(names) + csvLine(values);
}
