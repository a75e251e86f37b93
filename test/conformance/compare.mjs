// What the suite found, leg beside leg, and where Colibri is the difference. Pure.

/** The worst of what one check said counts: a check may speak several times in a scenario. */
const SEVERITY = ['SUCCESS', 'SKIPPED', 'WARNING', 'FAILURE'];

/** Verdicts by check; what a check only tells (INFO) is none. */
export const verdictsOf = (checks = []) => {
  const verdicts = {};
  for (const { id, status, errorMessage } of checks) {
    const severity = SEVERITY.indexOf(status);
    if (severity < 0 || severity < SEVERITY.indexOf(verdicts[id]?.status)) continue;
    verdicts[id] = { status, ...(errorMessage && { message: errorMessage }) };
  }
  return verdicts;
};

const passes = (verdict) => verdict?.status === 'SUCCESS';

/** Checks that pass directly and not here; one that did not come to run here does not pass. */
export const differencesOf = (direct, here) =>
  Object.keys(direct).filter((id) => passes(direct[id]) && !passes(here[id]));

/** Checks that have a verdict and do not pass. */
export const failuresOf = (verdicts) =>
  Object.keys(verdicts).filter((id) => !passes(verdicts[id]) && verdicts[id].status !== 'SKIPPED');

/** «2/3»: checks passed, of those that came to a verdict directly; of its own where there are none. */
export const score = (verdicts, direct) => {
  const counted = Object.keys(direct).length > 0 ? direct : verdicts;
  const ids = Object.keys(counted).filter((id) => counted[id].status !== 'SKIPPED');
  return `${ids.filter((id) => passes(verdicts[id])).length}/${ids.length}`;
};

/** Something passed, and nothing else came to a verdict. */
export const isClean = (verdicts) => Object.values(verdicts).some(passes) && failuresOf(verdicts).length === 0;

/** What keeps a scenario from passing by itself; one that never ran has not passed. */
const shortOf = (verdicts) => {
  const failures = failuresOf(verdicts);
  return failures.length > 0 || isClean(verdicts) ? failures : ['nothing-passed'];
};

const messageIn = (verdicts) =>
  failuresOf(verdicts)
    .map((id) => verdicts[id].message)
    .find((text) => text !== undefined) ?? '';

/**
 * All that a run has to account for: `rows` are `{revision, scenario, need, legs: {direct, …}}` with verdicts by check.
 * A required scenario must pass directly; one that only Colibri serves must pass through it.
 */
export const judge = (rows) =>
  rows.flatMap(({ revision, scenario, need, legs }) =>
    Object.entries(legs).flatMap(([leg, verdicts]) => {
      const checks = checksToExplain(need, leg, verdicts, legs.direct);
      return checks.length === 0
        ? []
        : [{ revision, leg, scenario, checks: checks.toSorted(), message: messageIn(verdicts) }];
    }),
  );

/** All that a run of clients has to account for: whatever was run and does not pass. */
export const judgeClient = (rows) =>
  rows
    .filter(({ need }) => need !== 'OAuth')
    .flatMap(({ revision, scenario, legs }) =>
      Object.entries(legs).flatMap(([leg, verdicts]) => {
        const checks = shortOf(verdicts).toSorted();
        return checks.length === 0 ? [] : [{ revision, leg, scenario, checks, message: messageIn(verdicts) }];
      }),
    );

const checksToExplain = (need, leg, verdicts, direct) => {
  if (leg === 'direct') return need === 'required' ? shortOf(direct) : [];
  return need === 'own' ? shortOf(verdicts) : differencesOf(direct, verdicts);
};
