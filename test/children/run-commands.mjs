// Runs command lines of a built Colibri one after the other in this process: <modules> <JSON list of argument lists>. Prints a JSON list
// of {code, stdout, stderr}. For what ends before anything is opened: help.
import { pathToFileURL } from 'node:url';

const [modules, lines] = process.argv.slice(2);
const { runCommand } = await import(pathToFileURL(`${modules}/cli/command.js`).href);
const write = process.stdout.write.bind(process.stdout);

/** What process.exit throws here, so that the next command line can run. */
class Exit extends Error {
  constructor(code) {
    super();
    this.code = code;
  }
}

const ran = [];
for (const args of JSON.parse(lines)) {
  const one = { code: 0, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    process[name].write = (text) => {
      one[name] += text;
      return true;
    };
  }
  process.exit = (code) => {
    throw new Exit(code);
  };
  try {
    await runCommand([process.execPath, 'colibri', ...args]);
  } catch (thrown) {
    if (!(thrown instanceof Exit)) throw thrown;
    one.code = thrown.code;
  }
  ran.push(one);
}
write(JSON.stringify(ran));
