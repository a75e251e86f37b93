import { expect, test } from 'vitest';
import { ColibriError } from '../../errors.js';
import { fromConnection } from './errors.js';

const errorWith = (members: object): Error => Object.assign(new Error('text'), members);

test.each([
  [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'not one that is trusted here'],
  [{ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, 'not one that is trusted here'],
  [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'for another name'],
  [{ code: 'CERT_HAS_EXPIRED' }, 'has expired'],
  [{ code: 'CERT_NOT_YET_VALID' }, 'not valid yet'],
  [{ code: 'ERR_OSSL_PEM_NO_START_LINE' }, 'could not be encrypted'],
  [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'could not be encrypted'],
  [{ code: 'EACCES', syscall: 'open', path: '/etc/ssl/team-ca.crt' }, 'cannot be read: /etc/ssl/team-ca.crt (EACCES)'],
  [{ code: 'EISDIR', syscall: 'read' }, 'cannot be read (EISDIR)'],
  [{ code: 'ENOENT', syscall: 'connect', address: '/run/.s.PGSQL.5432' }, 'cannot be reached (ENOENT)'],
  [{ code: 'ECONNRESET', syscall: 'read' }, 'cannot be reached (ECONNRESET)'],
  [{ code: 'ETIMEDOUT', syscall: 'read' }, 'cannot be reached (ETIMEDOUT)'],
])('%j', (members, said) => {
  const found = fromConnection(errorWith(members));
  expect(found).toBeInstanceOf(ColibriError);
  expect(found).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining(said) });
});
