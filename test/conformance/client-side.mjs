// The suite against clients: it starts a server for each scenario, and Colibri is the client of that server (client.mjs).
import { fileURLToPath } from 'node:url';
import { judgeClient, verdictsOf } from './compare.mjs';
import { REVISIONS } from './suite.mjs';

const CLIENT = fileURLToPath(new URL('./client.mjs', import.meta.url));

/** Which protocol the client in front of Colibri speaks; the protocol behind it is the scenario's. */
const LEGS = { through: 'modern', 'through-old': 'legacy' };

/** Scenarios that sign in with OAuth. Colibri sends the headers of its configuration and has no OAuth client, so these are not run. */
const SIGNS_IN = /^auth\//;

const scenariosOf = (suite) =>
  REVISIONS.flatMap((revision) =>
    [...suite.requirements(revision, 'client')].map(([scenario, need]) => {
      return { revision, scenario, need: SIGNS_IN.test(scenario) ? 'OAuth' : need };
    }),
  );

export const openClientSide = (suite, { main, say }) => {
  const scenarios = scenariosOf(suite);
  const found = new Map();
  const keyOf = ({ revision, scenario }, leg) => [revision, scenario, leg].join(' ');
  const runOne = async (one, leg) => {
    const command = [process.execPath, CLIENT, main].map((word) => JSON.stringify(word));
    found.set(keyOf(one, leg), await suite.runClient([...command, LEGS[leg]].join(' '), one.revision, one.scenario));
  };
  return {
    legs: Object.keys(LEGS),
    judge: judgeClient,
    run: async () => {
      for (const one of scenarios.filter(({ need }) => need !== 'OAuth')) {
        say(`client, ${one.revision}, ${one.scenario}`);
        await Promise.all(Object.keys(LEGS).map((leg) => runOne(one, leg)));
      }
    },
    again: ({ leg, ...one }) => runOne(one, leg),
    rows: () =>
      scenarios.map((one) => {
        const legs = Object.keys(LEGS).map((leg) => [leg, verdictsOf(found.get(keyOf(one, leg)))]);
        return { ...one, legs: Object.fromEntries(legs) };
      }),
    end: async () => {},
  };
};
