// What the record of a routed call must be, whatever happened.
import type { RouteNote } from '../../src/proof/switchboard-records.js';

/**
 * Every server that was tried might be; the last one is the first eligible of those that were not tried before. Where the
 * caller named the tool there is no choice, and whoever may not get the call is asked only to say so.
 */
export const choiceFaults = ({ name: route, candidates, attempts }: RouteNote): string[] => {
  const tried = [...new Set(attempts.filter(({ sent }) => route !== null || sent).map(({ server }) => server))];
  const faults = tried.flatMap((name) => {
    const { eligible, reason } = candidates.find(({ server }) => server === name) ?? {};
    return eligible === true || reason === 'starting' ? [] : [`${name} was tried, ${reason}`];
  });
  const last = tried.at(-1);
  if (last === undefined) return faults;
  const lastAt = candidates.findIndex(({ server }) => server === last);
  // One that starts is waited for where nobody else is eligible.
  const isLastReady = candidates[lastAt]?.eligible === true;
  const passed = candidates.filter(
    ({ server, eligible }, at) => !tried.includes(server) && eligible && (at < lastAt || !isLastReady),
  );
  return [...faults, ...passed.map(({ server }) => `${server} was passed over for ${last}`)];
};
