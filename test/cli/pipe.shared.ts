// What pipe.test.ts and pipe.deep.test.ts share: a client with a long name.
export const CLIENT = `a client with a name that goes on ${'and on '.repeat(8)}to its end`;
