import { expect, it } from 'vitest';
import { directoriesFor } from './directories.js';

const home = '/home/ada';

it('follows XDG on Linux', () => {
  expect(directoriesFor('linux', home, {})).toEqual({
    data: '/home/ada/.local/share/colibri',
    state: '/home/ada/.local/state/colibri',
    config: '/home/ada/.config/colibri',
  });
  const env = { XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s/', XDG_CONFIG_HOME: '/c' };
  expect(directoriesFor('linux', home, env)).toEqual({
    data: '/d/colibri',
    state: '/s/colibri',
    config: '/c/colibri',
  });
});

it.each(['', 'relative/path', './x', '~/x', '$HOME/x'])('ignores XDG_STATE_HOME=%j', (value) => {
  const { state } = directoriesFor('linux', home, { XDG_STATE_HOME: value });
  expect(state).toBe('/home/ada/.local/state/colibri');
});

it('keeps everything in Application Support on macOS', () => {
  const env = { XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s', XDG_CONFIG_HOME: '/c' };
  expect(directoriesFor('darwin', '/Users/ada', env)).toEqual({
    data: '/Users/ada/Library/Application Support/colibri',
    state: '/Users/ada/Library/Application Support/colibri/state',
    config: '/Users/ada/Library/Application Support/colibri',
  });
});
