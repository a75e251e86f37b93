// Describes the machine and the user of this process, for the boot record.
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { quietly } from '../errors.js';

export interface Machine {
  readonly host: string;
  readonly node: string;
  readonly osUser: string;
  /**
   * An id that changes when the machine restarts: it shows whether records were lost in a power cut or a process just died. Null if the
   * system has none.
   */
  readonly machineBoot: string | null;
}

export const thisMachine = (): Machine => {
  // In a container, the user may have no entry in passwd.
  const osUser = quietly(() => userInfo().username) ?? `uid ${process.getuid?.() ?? 'unknown'}`;
  const machineBoot = quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? null;
  const host = hostname();
  return { host, node: `${host}/${osUser}`, osUser, machineBoot };
};
