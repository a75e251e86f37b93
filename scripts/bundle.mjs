// Bundles src/ and the packages that it uses into the folder named by the first argument, with source maps and the licences of those packages.
// Every import() of src/ stays lazy: code that a start does not need is in a file that it does not load (docs/adr/0059-bundle.md).
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The files that something outside the bundle names: package.json, clients, and code that starts a process or a thread. */
const ENTRIES = [
  'cli/main',
  'server',
  'store/sqlite/worker',
  'verify/worker',
  'store/postgres/blocking-thread',
  'cli/records/call-search-worker',
  'cli/demo/server',
];

const sourceOf = (/** @type {string} */ name) => join(root, 'src', `${name}.ts`);

/** The module that finds the package's folder by its own place. */
const PLACED = sourceOf('core/installed');

/** What `serve` loads before it answers the handshake. */
const START = ['cli/main', 'server', 'start/serve'].map(sourceOf);

/**
 * Chooses what goes into one file: modules of ours that a start loads and that import no package. Left to itself the bundler makes forty small
 * files of them, because other commands use some of them, and a start then takes a sixth more processor time. The three rooms stay outside, so
 * that whoever checks a proof loads nothing of them.
 * @param {(id: string) => { readonly importedIds: readonly string[] } | null} info
 */
const commonModules = (info) => {
  const imports = (/** @type {string} */ id) => info(id)?.importedIds ?? [];
  /** @type {Set<string>} */
  const loaded = new Set();
  const load = (/** @type {string} */ id) => {
    if (loaded.has(id)) return;
    loaded.add(id);
    imports(id).forEach(load);
  };
  START.forEach(load);
  /** @type {(id: string) => boolean} */
  const isOurs = (id) => id.startsWith(join(root, 'src/')) && !/\/src\/(store|switchboard|verify)\//.test(id);
  /** @type {(id: string) => boolean} */
  const isAlone = (id) => id.startsWith('node:') || (isOurs(id) && imports(id).every(isAlone));
  return new Set([...loaded].filter((id) => isOurs(id) && !START.includes(id) && isAlone(id)));
};

const commonFile = () => {
  /** @type {Set<string> | undefined} */
  let modules;
  return {
    debugName: 'common',
    /** @type {(id: string, graph: { getModuleInfo: (id: string) => any }) => string | null} */
    name: (id, graph) => {
      modules ??= commonModules((other) => graph.getModuleInfo(other));
      return modules.has(id) ? 'common' : null;
    },
  };
};

/** Below node_modules/; the SDK's files hold packages of their own, which they name in comments. */
const PACKAGE_NAME = /node_modules\/((?:@[^/\s]+\/)?[^/.\s][^/\s]*)\//g;

/** @param {string} file @returns {string[]} the packages whose code is in a file of node_modules */
const packagesIn = (file) => {
  const regions = readFileSync(file, 'utf8').match(/^\/\/#region .*node_modules\/.*$/gm) ?? [];
  return [relative(root, file), ...regions].flatMap((path) => [...path.matchAll(PACKAGE_NAME)].at(-1)?.[1] ?? []);
};

/** The section about the licence at the end of a README: some packages have no file of their own for it. */
const LICENCE_SECTION = /^#+ licen[cs]e\b[\s\S]*/im;

/** @param {string} folder */
const licenceIn = (folder) => {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const file = names.find((entry) => /^licen[cs]e/i.test(entry));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8');
  const readme = names.find((entry) => /^readme/i.test(entry));
  return readme && LICENCE_SECTION.exec(readFileSync(join(folder, readme), 'utf8'))?.[0];
};

/** @param {string} name */
const noticeOf = (name) => {
  const folder = join(root, 'node_modules', name);
  const text = licenceIn(folder);
  if (!text) throw new Error(`the licence of ${name} is not in node_modules/${name}, but its code is in the bundle`);
  const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name} (${license})\n\n${text.trim()}\n`;
};

/** @param {readonly string[]} modules the files that are in the bundle */
const notices = (modules) => {
  const names = new Set(modules.filter((file) => file.includes('/node_modules/')).flatMap(packagesIn));
  const head = 'The files in this folder contain code of the packages below, under the licences below.\n';
  return [head, ...[...names].sort().map(noticeOf)].join(`\n${'-'.repeat(80)}\n\n`);
};

/** @param {readonly string[]} entries @param {'node' | 'neutral'} platform @param {string} folder */
const bundle = async (entries, platform, folder) => {
  const made = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((name) => [name, sourceOf(name)])),
    platform,
    // A native module: it finds its binary beside its own files.
    external: ['better-sqlite3'],
    // `module` first: the main file of jsonc-parser hides its imports from a bundler.
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, mainFields: ['module', 'main'] },
  });
  const { output } = await made.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // The hash keeps a process that still runs from loading a file of the next build, whose exports have other names.
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: platform === 'node' ? [commonFile()] : [] },
    minify: true,
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await made.close();
  return output.filter((one) => one.type === 'chunk');
};

/** ASCII without line ends: then no byte of the page can change without changing its text (a browser reads CR LF as LF). @param {string} text */
const onOneLine = (text) => {
  const ascii = text
    .trim()
    .replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (/[^ -~]|<\/(script|style)|<!--/i.test(ascii))
    throw new Error('the script or the style of the page cannot stand in an HTML file');
  return ascii;
};

/** The style without comments and superfluous blanks. @param {string} css */
const minifiedStyle = (css) =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}');

/** The script and the style of the page (src/page/), each in one file. @param {string} folder */
const bundlePage = async (folder) => {
  const made = await rolldown({
    cwd: root,
    input: sourceOf('page/browser/main'),
    platform: 'browser',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  const { output } = await made.generate({ format: 'iife', minify: true, comments: false, codeSplitting: false });
  await made.close();
  const [script] = output.filter((one) => one.type === 'chunk');
  mkdirSync(join(folder, 'page'), { recursive: true });
  // Line ends that the minifier leaves, and ends of elements, stand in template literals, where an escape says the same.
  const escaped = (script?.code ?? '').trim().replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  const code = onOneLine(escaped.replace(/<\/(?=script|style)/gi, '<\\/'));
  new Script(code); // throws if it is no longer a script
  writeFileSync(join(folder, 'page/page.js'), code);
  writeFileSync(
    join(folder, 'page/page.css'),
    onOneLine(minifiedStyle(readFileSync(join(root, 'src/page/browser/style.css'), 'utf8'))),
  );
  return script?.moduleIds ?? [];
};

const [folder = ''] = process.argv.slice(2);
const chunks = await bundle(ENTRIES, 'node', folder);
const placed = chunks.find(({ moduleIds }) => moduleIds.includes(PLACED));
if (placed?.fileName.split('/').length !== 2) {
  throw new Error(`core/installed.ts must be one folder below dist/, and is in ${placed?.fileName}`);
}
// For itself, so that it is one file which imports nothing and a browser can load.
await bundle(['proof/index'], 'neutral', folder);
const pageModules = await bundlePage(folder);
const modules = [...chunks.flatMap(({ moduleIds }) => moduleIds), ...pageModules].filter((id) => existsSync(id));
writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices(modules));
