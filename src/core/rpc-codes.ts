// Error codes of JSON-RPC. They are repeated here because parsing a line of input must not load the MCP SDK, and the stages of a call must
// not import it.
export const RPC = {
  // JSON-RPC 2.0 §5.1
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** A server answered with an HTTP error. JSON-RPC leaves the range of this code to implementations. */
  httpError: -32_000,
  /** MCP 2025-11-25 and older: the resource does not exist. */
  notFound: -32_002,
  /** MCP 2026-07-28: the HTTP headers of a request do not match its body; the server has not run the request. */
  headerMismatch: -32_020,
  /** MCP 2026-07-28: the protocol version is not supported; the error's data names the supported versions. */
  unsupportedVersion: -32_022,
} as const;
