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

/* A set of answers as text, with bars between them; a lone bar names nothing. */
function setText(named) {
  if (named.length === 0) return "|";
  const texts = named.map((value) => value.replaceAll("\\", "\\\\").replaceAll("|", "\\|"));
  return texts.map((value) => value || "\\e").join("|");
}

/* The distorted answers as text: a JSON line, or a CSV row under the names of its columns, in the
   order of the design. The arm stands among them, and nothing where it does not ask; last comes the
   number of the person, where waves are linked. */
function rowText(survey, drawn, person = null) {
  const names = survey.row.map((place) => survey.questions[place].name);
  const values = survey.row.map((place) => {
    const one = drawn[place];
    const listed = survey.questions[place].published;
    if (one === null || listed === null) return one;
    return Array.isArray(one) ? setText(one.map((value) => listed[value])) : listed[one];
  });
  if (survey.arms) {
    names.splice(survey.arms.place, 0, survey.arms.column);
    values.splice(survey.arms.place, 0, survey.arm);
  }
  if (person !== null) {
    names.push(survey.person);
    values.push(person);
  }
  if (survey.format === "json") return jsonLine(names, values);
  return csvLine(names) + csvLine(values);
}
