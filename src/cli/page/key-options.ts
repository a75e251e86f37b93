// The keys of a page's logs as the options of the command that checks it.

export const keyOptions = (logs: readonly { readonly vkey: string }[]): string =>
  logs.map(({ vkey }) => `--key '${vkey}'`).join(' ');
