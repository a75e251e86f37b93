// Error codes of JSON-RPC. A table of our own, because reading a line must not load the SDK and the stages must not know it.
export const RPC = {
  // JSON-RPC 2.0 §5.1
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** Of the range that is left to implementations: a server answered with an error of HTTP. */
  httpError: -32_000,
  /** MCP 2025-11-25 and older: there is no such resource. */
  notFound: -32_002,
  /** MCP 2026-07-28: the version is not supported; the data names those that are. */
  unsupportedVersion: -32_022,
} as const;
