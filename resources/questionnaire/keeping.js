/* What a browser keeps of a respondent: a random key, from which reports are drawn, and the id under
   which they are sent. Nothing of it depends on an answer. */

/* A few values under one name in the storage of a tab or of a device; in the page alone where the
   browser keeps nothing, or nothing is to be kept. */
class Keeping {
  constructor(storage, name) {
    this.storage = storage;
    this.name = `ppworkbench ${name}`;
    this.kept = {};
    this.works = storage !== null;
    try {
      const found = JSON.parse(storage?.getItem(this.name) ?? "{}");
      if (typeof found === "object" && found !== null) this.kept = found;
    } catch {
      /* What cannot be read is written anew. */
    }
  }

  keep(name, value) {
    this.kept[name] = value;
    try {
      this.storage?.setItem(this.name, JSON.stringify(this.kept));
    } catch {
      this.works = false;
    }
    return value;
  }

  /* A value that is made once. */
  once(name, make) {
    return this.kept[name] ?? this.keep(name, make());
  }

  forget() {
    this.kept = {};
    try {
      this.storage?.removeItem(this.name);
    } catch {
      this.works = false;
    }
  }
}

/* The storage of the tab or of the device; null where the browser refuses it. */
function storageOf(name) {
  try {
    return window[name];
  } catch {
    return null;
  }
}

/* The tab keeps key and id until the answers are sent, saved or shown, so that a reload does not draw
   again; then only that this has been done. A kiosk and a preview keep nothing: many people use them. */
function tabKeeping(survey) {
  const keeps = !survey.kiosk && !survey.preview;
  return new Keeping(keeps ? storageOf("sessionStorage") : null, survey.digest);
}

/* The key of this respondent: that of the device, or of the tab. */
function keyOf(device, tab) {
  for (const keeping of device?.works ? [device, tab] : [tab]) {
    if (!/^[0-9a-f]{64}$/.test(keeping.kept.key ?? "")) keeping.keep("key", freshKey());
    if (keeping.works) break;
  }
  return (device?.works ? device : tab).kept.key;
}

/* A random number that links the waves of one key; it depends on no answer. */
function personOf(key) {
  return Math.floor(keyedUniform(key, "person")() * 2 ** 39);
}
