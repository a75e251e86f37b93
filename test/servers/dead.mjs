// Exits at once, with a word on stderr.
process.stderr.write('starting up\nError: no licence found\n');
process.exitCode = 3;
