#!/usr/bin/env node
// The `colibri` command. The console goes to stderr before anything else is loaded: when we serve, stdout belongs to
// the protocol alone.
import { sendConsoleToStderr } from '../wire/console.js';

sendConsoleToStderr();
const { runCommand } = await import('./command.js');
await runCommand(process.argv);
