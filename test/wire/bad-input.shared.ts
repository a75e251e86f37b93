// What bad-input.test.ts and bad-input.deep.test.ts share: calls as raw lines.
export const MIB = 1024 * 1024;
export const call = (id: string, args: string): string =>
  `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"server_ping","arguments":${args}}}`;
