// A PostgreSQL server of one's own, for tests and for the bench: a throw-away cluster of the installed programs, on loopback alone.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const DEBIAN = '/usr/lib/postgresql';
const PASSWORD = 'colibri-test-password';

/** The folder of the newest installed programs of the server. */
export const installedPostgres = () => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')));
};

/** initdb refuses root, so its programs run as `nobody` then. @returns {{ uid?: number, gid?: number }} */
const asUser = () => {
  if (process.getuid?.() !== 0) return {};
  const id = (/** @type {string} */ flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
};

/** @param {string} bin @param {string} program @param {readonly string[]} args */
export const runProgram = (bin, program, args) => {
  const { status, stderr, stdout } = spawnSync(join(bin, program), args, {
    ...asUser(),
    cwd: '/',
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  if (status !== 0) throw new Error(`${program} failed: ${stdout}${stderr}`);
};

const freePort = () => {
  const script =
    "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{console.log(s.address().port);s.close()})";
  return Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
};

/** @param {string} socket @param {number} port */
const place = (socket, port) => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${socket}'
max_connections = 200
`;

/** Makes and starts a cluster in a folder of its own. @param {string} bin @param {string} settings lines of postgresql.conf */
export const startCluster = (bin, settings) => {
  const dir = mkdtempSync('/tmp/colibri-pg-');
  const { uid, gid } = asUser();
  if (uid !== undefined && gid !== undefined) chownSync(dir, uid, gid);
  chmodSync(dir, 0o700);
  const [data, secret, log] = [join(dir, 'data'), join(dir, 'secret'), join(dir, 'log')];
  writeFileSync(secret, PASSWORD, { mode: 0o644 });
  const options = [
    '-U',
    'owner',
    '-E',
    'UTF8',
    '--locale=C',
    '--auth=scram-sha-256',
    `--pwfile=${secret}`,
    '--no-sync',
  ];
  runProgram(bin, 'initdb', ['-D', data, ...options]);
  const port = freePort();
  writeFileSync(join(data, 'postgresql.auto.conf'), place(dir, port) + settings);
  runProgram(bin, 'pg_ctl', ['-D', data, '-l', log, '-w', '-t', '60', 'start']);
  return {
    url: (/** @type {string} */ database) => `postgres://owner:${PASSWORD}@127.0.0.1:${port}/${database}`,
    cluster: { bin, dir: data },
  };
};

/** Ends a cluster and removes its folder. @param {{ readonly bin: string, readonly dir: string }} cluster */
export const stopCluster = ({ bin, dir }) => {
  runProgram(bin, 'pg_ctl', ['-D', dir, '-w', '-m', 'immediate', 'stop']);
  rmSync(dirname(dir), { recursive: true, force: true });
};
