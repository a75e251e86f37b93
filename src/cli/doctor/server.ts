// The checks of the database server of a store: its version and encoding, its clock, what is between here and it, and the rights of the role.

import { isLocalHost } from '../../core/database-url.js';
import type { ServerLook } from '../../store/postgres/look.js';
import { CLI_LIMITS } from '../limits.js';
import { span } from '../screen/time.js';
import { type Check, type DoctorFinding, ok, problem, warning } from './scene.js';

const encodingOf = ({ server, encoding }: ServerLook): DoctorFinding =>
  encoding === 'UTF8'
    ? ok(`PostgreSQL ${server}, ${encoding}`)
    : problem(
        `PostgreSQL ${server}: the encoding of the database is ${encoding}`,
        "Make a database with ENCODING 'UTF8', and move the store there with colibri migrate-store.",
      );

const clockOf = ({ aheadMs }: ServerLook): DoctorFinding => {
  const apart = span(Math.abs(aheadMs));
  return Math.abs(aheadMs) <= CLI_LIMITS.doctorClockMs
    ? ok('its clock and this one agree')
    : warning(
        `its clock is ${apart} ${aheadMs > 0 ? 'ahead of' : 'behind'} this one`,
        'Set both by NTP: times in records are those of this machine, leases go by the clock of the server.',
      );
};

const encryptionOf = ({ isEncrypted }: ServerLook, host = ''): DoctorFinding[] =>
  isEncrypted || isLocalHost(host)
    ? []
    : [
        warning(
          'the connection is not encrypted: the network between here and the server can read and change what passes',
          'Add sslmode=verify-full&sslrootcert=<file> to the address (docs/postgres.md, step 1).',
        ),
      ];

const sessionOf = ({ keepsSession }: ServerLook): DoctorFinding[] =>
  keepsSession
    ? []
    : [
        problem(
          'a pooler in transaction mode is between here and the server: processes would take each other for dead',
          'Set the pooler to session mode, or connect to the server itself.',
        ),
      ];

const GIVE = 'ive the rights again (docs/postgres.md, step 4)';

const rightsOf = ({ role, rights }: ServerLook): DoctorFinding[] => {
  if (rights === undefined) return [];
  const { lacks, readsAll, writes, mayRewrite } = rights;
  if (lacks.length > 0) {
    const message = `the role ${role} cannot serve: it lacks ${lacks.join('; ')}`;
    return readsAll && !writes
      ? [warning(message, `It is enough for reading (COLIBRI_MODE=READONLY). To serve, g${GIVE}.`)]
      : [problem(message, `G${GIVE}.`)];
  }
  const more = ', and may change records too: docs/postgres.md has a role that may not';
  return [ok(`the role ${role} may serve${mayRewrite ? more : ''}`)];
};

export const server: Check = ({ server: found, at }) =>
  found === undefined || 'state' in found
    ? []
    : [
        encodingOf(found),
        clockOf(found),
        ...encryptionOf(found, at?.site.host),
        ...sessionOf(found),
        ...rightsOf(found),
      ];
