// Decides whether a process has a switchboard: none if its mode or its depth does not permit one, else one that is loaded once there is a
// file.
import { readdirSync } from 'node:fs';
import type { ColibriServerContext } from '../../call/context.js';
import { type Config, type LogLevel, readEnv } from '../../config.js';
import { MODES } from '../../modes.js';
import { findSwitchboard, groupNotesDir, switchboardPlaces } from '../config/place.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { SwitchboardHandle } from './handle.js';

export interface SwitchboardQuestion {
  readonly config: Config;
  readonly projectDir: string | undefined;
  readonly log: (level: LogLevel, ...parts: readonly unknown[]) => void;
  /** Called when the switchboard is loaded. */
  readonly server: () => Pick<ColibriServerContext, 'version' | 'now' | 'tools' | 'notAdmitted' | 'ownCheck'>;
}

const isEmpty = (dir: string): boolean => {
  try {
    return readdirSync(dir).length === 0;
  } catch {
    return true;
  }
};

/** Undefined if this process may not have one. */
export const switchboardFor = ({ config, projectDir, log, server }: SwitchboardQuestion) => {
  const { mode, depth, switchboard: named, directories } = config;
  if (!MODES[mode].ledger || depth >= SWITCHBOARD_LIMITS.nestedSwitchboards) return undefined;
  const question = { named, projectDir, configDir: directories.config };
  const stateDir = directories.state;
  const tell = (level: LogLevel, text: string): void => log(level, 'switchboard:', text);
  // A process with a throw-away store has no later start that could clean up.
  const outlives = MODES[mode].store === 'write';
  return new SwitchboardHandle({
    files: switchboardPlaces(question).map(({ file }) => file),
    hasFile: () => findSwitchboard(question) !== undefined,
    sweep: async () => {
      if (!outlives || isEmpty(groupNotesDir(stateDir))) return;
      const { endOrphans } = await import('../link/orphans.js');
      await endOrphans({ stateDir, log: tell });
    },
    load: async () => {
      const { openSwitchboard } = await import('./open.js');
      const { version, now, tools, notAdmitted } = server();
      const ownNames = () => [...tools.keys(), ...notAdmitted];
      const ownCheck = () => server().ownCheck;
      const around = { question, env: readEnv(), stateDir, outlives };
      return openSwitchboard({ ...around, version, now, log: tell, ownNames, ownCheck });
    },
    onError: (thrown) => log('error', 'switchboard:', thrown),
  });
};
