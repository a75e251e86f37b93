// Decides whether a Colibri process has a switchboard. It has none if its mode forbids it, or if too many Colibri processes started each
// other. Otherwise the switchboard is loaded when there is a switchboard file.

import { readdirSync } from 'node:fs';
import type { ColibriServerContext } from '../../call/context.js';
import { type Config, type LogLevel, readEnv } from '../../config.js';
import { quietly } from '../../errors.js';
import { MODES } from '../../modes.js';
import { findSwitchboard, groupNotesDir, switchboardPlaces } from '../config/place.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { SwitchboardHandle } from './handle.js';

export interface SwitchboardQuestion {
  readonly config: Config;
  readonly projectDir: string | undefined;
  readonly log: (level: LogLevel, ...parts: readonly unknown[]) => void;
  /** Registers the tools with which voters decide. */
  readonly onQuorum: () => Promise<void>;
  /** Returns the parts of the Colibri server that the switchboard needs. Called when the switchboard is loaded. */
  readonly server: () => Pick<ColibriServerContext, 'version' | 'now' | 'tools' | 'notAdmitted' | 'ownCheck'>;
}

const isEmpty = (dir: string): boolean => quietly(() => readdirSync(dir).length === 0) ?? true;

/** The switchboard of this process; undefined if the process is not permitted to have one. */
export const switchboardFor = ({ config, projectDir, log, onQuorum, server }: SwitchboardQuestion) => {
  const { mode, depth, switchboard: named, directories } = config;
  if (!MODES[mode].ledger || depth >= SWITCHBOARD_LIMITS.nestedSwitchboards) return undefined;
  const question = { named, projectDir, configDir: directories.config };
  const stateDir = directories.state;
  const tell = (level: LogLevel, text: string): void => log(level, 'switchboard:', text);
  // If this process has a throw-away store, no later Colibri process can find and end the servers that this one leaves behind.
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
      const { RunningSwitchboard } = await import('./open.js');
      const { version, now, tools, notAdmitted } = server();
      const ownNames = () => [...tools.keys(), ...notAdmitted];
      const ownCheck = () => server().ownCheck;
      const keepsArguments = config.auditPayloads === 'stored';
      const around = {
        question,
        env: readEnv(),
        stateDir,
        outlives,
        logs: MODES[mode].logFile,
        keepsArguments,
        onQuorum,
      };
      return new RunningSwitchboard({ ...around, version, now, log: tell, ownNames, ownCheck });
    },
    onError: (thrown) => log('error', 'switchboard:', thrown),
  });
};
