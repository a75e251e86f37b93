// Where this installation's files are. No other file may ask for `import.meta.url`: the bundler moves code into other files, and only this
// module's distance from the package's folder is kept (scripts/bundle.mjs checks it).

/** The package's folder. This module is two folders below it in src/, in build/ and in the bundle. */
const PACKAGE = new URL('../../', import.meta.url);

/** A file or folder of the package. */
export const packageFile = (path: string): URL => new URL(path, PACKAGE);

/** An entry of the bundle in dist/, to run or to load into a thread. Tests of src/ use it too: a thread of Node 20 cannot load TypeScript. */
export const bundledFile = (path: string): URL => packageFile(`dist/${path}`);
