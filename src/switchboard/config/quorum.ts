// The quorum of a server: which voters may allow its calls together, and how many of them must. Pure; whether each is enrolled, the store knows.
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { QuorumValues } from './keys.js';

type Written = { readonly of: readonly string[]; readonly need: number | null };

/** A name that can be enrolled (`colibri voters add`). */
const VOTER = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** What is wrong with a quorum; undefined if nothing is, or if there is none. */
export const quorumFault = (quorum: Written | null): string | undefined => {
  if (quorum === null) return undefined;
  const { of, need } = quorum;
  if (of.length === 0) return 'no voters: "of" names them';
  if (of.length > SWITCHBOARD_LIMITS.quorumVoters) return `more than ${SWITCHBOARD_LIMITS.quorumVoters} voters`;
  const wrong = of.find((name) => !VOTER.test(name));
  if (wrong !== undefined) return `${JSON.stringify(wrong)}, which is not a name of a voter`;
  const twice = of.find((name, i) => of.indexOf(name) !== i);
  if (twice !== undefined) return `${JSON.stringify(twice)} twice`;
  if (need === null) return 'no "need": how many of them must approve';
  return need > of.length ? `a "need" of ${need} and only ${of.length} voters` : undefined;
};

/** A quorum without a fault. */
export const quorumOf = (quorum: Written | null): QuorumValues | null =>
  quorum === null || quorum.need === null ? null : { of: quorum.of, need: quorum.need };
