/* Which parts of the questionnaire one respondent gets. */

/* The places of some parts, all choices equally likely. */
function askedParts(count, wanted, source = secureUniform) {
  const places = Array.from({ length: count }, (_, place) => place);
  return shuffled(places, source).slice(0, wanted).sort((a, b) => a - b);
}
