/* The key that a device keeps for later waves; only in pages whose design says so. */

/* Pages of before kept reports under the true answers, and who is asked what: the reports go at once,
   the rest is still followed. */
function deviceKeeping(survey) {
  const found = new Keeping(storageOf("localStorage"), survey.memory);
  delete found.kept.reports;
  found.keep("key", found.kept.key ?? freshKey());
  return found;
}
