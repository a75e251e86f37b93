// Never answers anything, `initialize` included.
process.stderr.write('waiting for the database\n');
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
