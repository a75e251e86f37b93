import { describe, expect, it } from 'vitest';
import { depthOf, serverEnvironment } from './inherit-env.js';

const OURS = {
  PATH: '/bin',
  HOME: '/home/me',
  TMPDIR: '/tmp',
  LANG: 'C',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  XDG_CONFIG_HOME: '/home/me/.config',
  HTTPS_PROXY: 'http://proxy',
  no_proxy: 'localhost',
  SSL_CERT_FILE: '/etc/ssl/all.pem',
  NODE_EXTRA_CA_CERTS: '/etc/ssl/more.pem',
  SSH_AUTH_SOCK: '/tmp/agent',
  DISPLAY: ':0',
  WAYLAND_DISPLAY: 'w',
  AWS_SECRET_ACCESS_KEY: 'secret',
  GITHUB_TOKEN: 'secret',
  LCX: 'no family',
  BASH_FUNC: '() { echo; }',
  SHELL: '() { echo; }',
  COLIBRI_DB_PATH: '/db',
  COLIBRI_DEPTH: '1',
  UNSET: undefined,
};

const HARMLESS = [
  'COLIBRI_DEPTH',
  'DISPLAY',
  'HOME',
  'HTTPS_PROXY',
  'LANG',
  'LC_ALL',
  'NODE_EXTRA_CA_CERTS',
  'PATH',
  'SSH_AUTH_SOCK',
  'SSL_CERT_FILE',
  'TMPDIR',
  'TZ',
  'WAYLAND_DISPLAY',
  'XDG_CONFIG_HOME',
  'no_proxy',
];

const names = (inherit: Parameters<typeof serverEnvironment>[0]) =>
  Object.keys(serverEnvironment(inherit, {}, OURS)).toSorted();

describe('the environment of a server', () => {
  it('is the harmless part of ours', () => {
    expect(names('minimal')).toEqual(HARMLESS);
  });

  it('has the named variables as well, but never ours', () => {
    expect(names(['GITHUB_TOKEN', 'COLIBRI_DB_PATH', 'NOT_SET'])).toEqual([...HARMLESS, 'GITHUB_TOKEN'].toSorted());
  });

  it('is all of it on request, but never ours', () => {
    const all = names('all');
    expect(all).toContain('AWS_SECRET_ACCESS_KEY');
    expect(all).not.toContain('COLIBRI_DB_PATH');
    expect(all).not.toContain('BASH_FUNC');
    expect(all).not.toContain('UNSET');
  });

  it('is what the configuration says, where it says something, but for the depth', () => {
    const env = serverEnvironment(
      'minimal',
      { PATH: '/other', NEW: 'x', COLIBRI_DEPTH: '0', COLIBRI_MODE: 'TEST' },
      OURS,
    );
    expect(env).toMatchObject({ PATH: '/other', NEW: 'x', COLIBRI_DEPTH: '2', COLIBRI_MODE: 'TEST' });
  });

  it.each([
    [undefined, 0],
    ['', 0],
    ['0', 0],
    ['3', 3],
    ['-1', 1],
    ['deep', 1],
  ])('counts the depth: %s', (text, depth) => {
    expect(depthOf({ COLIBRI_DEPTH: text })).toBe(depth);
  });
});
