/* What the device of a respondent keeps for later waves; only in pages whose design says so. */

/* What is sent for every true answer, and who is asked what: kept on this device, never sent. */
class Memory {
  constructor(key) {
    this.key = `ppworkbench ${key}`;
    this.kept = { arm: null, parts: null, person: null, reports: [] };
    this.works = true;
    try {
      const text = localStorage.getItem(this.key);
      if (text !== null) this.kept = { ...this.kept, ...JSON.parse(text) };
      this.write();
    } catch {
      this.works = false;
    }
    this.reports = new Map(this.kept.reports);
  }

  write() {
    try {
      localStorage.setItem(this.key, JSON.stringify(this.kept));
    } catch {
      this.works = false;
    }
  }

  keep(name, value) {
    this.kept[name] = value;
    this.write();
  }

  /* A random number that links the waves of this device; it depends on no answer. */
  person() {
    if (this.kept.person === null) this.keep("person", Math.floor(secureUniform() * 2 ** 39));
    return this.kept.person;
  }

  /* The report of before for the same true answer; the new one where there is none. */
  report(key, fresh) {
    if (!this.reports.has(key)) {
      this.reports.set(key, fresh);
      this.keep("reports", [...this.reports]);
    }
    return this.reports.get(key);
  }
}

/* Answers with one coin are kept together: what is sent for one of them hangs on all. */
function memoryKey(survey, place, answers) {
  const group = survey.questions[place].mechanism.group ?? null;
  const together = answers.filter((_, other) => {
    const how = survey.questions[other].mechanism;
    return other === place || (group !== null && how !== null && how.group === group);
  });
  return JSON.stringify([survey.arm ?? null, place, together]);
}

/* What is sent, as in the waves before where the true answer is the same. */
function recalled(survey, answers, drawn, memory) {
  return drawn.map((report, place) => {
    const how = survey.questions[place].mechanism;
    if (answers[place] === null || how.type === "none") return report;
    return memory.report(memoryKey(survey, place, answers), report);
  });
}
