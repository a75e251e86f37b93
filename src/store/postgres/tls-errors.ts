// What keeps a connection from being encrypted, by the codes of Node's TLS (nodejs.org/api/tls.html, "X509 certificate error codes") and of
// OpenSSL, and by the system's codes for the files of certificates that the address names.

import { systemCode } from '../../errors.js';

interface TlsFault {
  readonly message: string;
  readonly remedy: string;
}

const STEP = 'docs/postgres.md, "TLS"';

const UNTRUSTED: TlsFault = {
  message: 'the certificate of the database server is not one that is trusted here',
  remedy: `Give the address sslrootcert=<file> with the server's certificate, or that of the authority that signed it (${STEP}).`,
};
const OTHER_NAME: TlsFault = {
  message: 'the certificate of the database server is for another name than the one in the address',
  remedy: `Use the name that the certificate has, or make a certificate for this one (${STEP}).`,
};
const NOT_NOW: TlsFault = {
  message: 'the certificate of the database server has expired, or is not valid yet',
  remedy: `Check the clocks; make a new certificate on the server, and copy it to each machine (${STEP}).`,
};
const OTHER: TlsFault = {
  message: 'the connection to the database server could not be encrypted',
  remedy: `Check sslmode, sslrootcert, sslcert and sslkey in the address (${STEP}), and ssl on the server.`,
};

const BY_CODE: Readonly<Record<string, TlsFault>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_DECRYPT_CERT_SIGNATURE: UNTRUSTED,
  UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_CHAIN_TOO_LONG: UNTRUSTED,
  CERT_REVOKED: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  CERT_REJECTED: UNTRUSTED,
  INVALID_CA: UNTRUSTED,
  INVALID_PURPOSE: UNTRUSTED,
  PATH_LENGTH_EXCEEDED: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_NAME,
  HOSTNAME_MISMATCH: OTHER_NAME,
  CERT_HAS_EXPIRED: NOT_NOW,
  CERT_NOT_YET_VALID: NOT_NOW,
};

/** Of sockets too the system says `read` where one breaks, but never that it is a folder; and ENOENT of one that is not there is of `connect`. */
const isOfFile = (thrown: unknown): thrown is { readonly path?: unknown } =>
  thrown instanceof Error && 'syscall' in thrown && (thrown.syscall === 'open' || systemCode(thrown) === 'EISDIR');

const unreadable = ({ path }: { readonly path?: unknown }): TlsFault => ({
  message: `a file that the address names as sslrootcert, sslcert or sslkey cannot be read${typeof path === 'string' ? `: ${path}` : ''}`,
  remedy: 'Correct the path in the address, or the rights of the file.',
});

/** What is wrong with the encryption; undefined if the error is about something else. */
export const tlsFault = (code: string, thrown: unknown): TlsFault | undefined => {
  if (isOfFile(thrown)) return unreadable(thrown);
  return BY_CODE[code] ?? (/^ERR_(TLS|SSL|OSSL)_/.test(code) ? OTHER : undefined);
};
