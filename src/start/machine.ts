// Describes the machine and the user of this process, for the boot record.
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';

export interface Machine {
  readonly node: string;
  readonly osUser: string;
  /** An id that changes when the machine restarts: it tells records lost in a power cut from a process that died. Null if the system has no such id. */
  readonly machineBoot: string | null;
}

const osUser = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // in a container, the user may have no entry in passwd
  }
};

const machineBoot = (): string | null => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
};

export const thisMachine = (): Machine => {
  const user = osUser();
  return { node: `${hostname()}/${user}`, osUser: user, machineBoot: machineBoot() };
};
