// The suite against servers: the fixture directly, and the fixture through Colibri.
import { judge, verdictsOf } from './compare.mjs';
import { LEGS, startHost } from './hosts.mjs';
import { REVISIONS, SKILLS } from './suite.mjs';

/**
 * Scenarios that leave calls without the input they asked for. Colibri keeps such a call for its client, and meanwhile
 * declines what an old server asks: the next scenario must be another client.
 */
const LEAVES_CALLS = /^(input-required-result-|server-stateless$)/;

/** Every scenario of every revision on one host. */
const runAll = async (suite, { leg, url, urlOf }, say) => {
  const found = {};
  for (const revision of REVISIONS) {
    say(`${leg}, ${revision}`);
    found[revision] = await suite.runRevision(url, revision);
  }
  const last = REVISIONS.at(-1);
  const alone = leg === 'through-old' ? Object.keys(found[last]).filter((one) => LEAVES_CALLS.test(one)) : [];
  for (const one of alone) found[last][one] = await suite.runScenario(urlOf(one), last, one);
  if (leg !== 'direct') for (const one of SKILLS) found[last][one] = await suite.runScenario(url, last, one);
  return found;
};

/** One row for every scenario that a revision has, run or not; the legs hold verdicts by check. */
const rowsOf = (suite, found) =>
  REVISIONS.flatMap((revision) => {
    const own = revision === REVISIONS.at(-1) ? SKILLS.map((scenario) => [scenario, 'own']) : [];
    return [...suite.requirements(revision, 'server'), ...own].map(([scenario, need]) => {
      const legs = LEGS.map((leg) => [leg, verdictsOf(found[leg][revision][scenario])]);
      return { revision, scenario, need, legs: Object.fromEntries(legs) };
    });
  });

export const openServerSide = async (suite, { modules, scratch, say }) => {
  const hosts = {};
  const found = {};
  const end = () => Promise.all(Object.values(hosts).map((host) => host.end()));
  try {
    for (const leg of LEGS) hosts[leg] = await startHost(leg, { modules, scratch });
  } catch (thrown) {
    await end();
    throw thrown;
  }
  return {
    legs: LEGS,
    judge,
    run: async () => {
      for (const leg of LEGS) found[leg] = await runAll(suite, hosts[leg], say);
    },
    again: async ({ revision, leg, scenario }, tries) => {
      const url = hosts[leg].urlOf(`try-${tries}-${scenario}`);
      found[leg][revision][scenario] = await suite.runScenario(url, revision, scenario);
    },
    rows: () => rowsOf(suite, found),
    end,
  };
};
