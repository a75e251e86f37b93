// Who and where this process is, for the boot record.
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';

export interface Machine {
  readonly node: string;
  readonly osUser: string;
  /** Changes when the machine starts anew: tells a lost tail from a lost process. Null where the system has none. */
  readonly machineBoot: string | null;
}

const osUser = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // a container's user without an entry in passwd
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
