// What pipe.test.ts and pipe.deep.test.ts share.
export const CLIENT = `a client with a name that goes on ${'and on '.repeat(8)}to its end`;
