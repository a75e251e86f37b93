// Error codes of JSON-RPC. They are repeated here because reading a line must not load the SDK, and the stages must not import it.
export const RPC = {
  // JSON-RPC 2.0 §5.1
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** From the range for implementations: a server answered with an HTTP error. */
  httpError: -32_000,
  /** MCP 2025-11-25 and older: the resource does not exist. */
  notFound: -32_002,
  /** MCP 2026-07-28: the version is not supported; the data names those that are. */
  unsupportedVersion: -32_022,
} as const;
