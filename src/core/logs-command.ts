// The command that shows a server's log, as messages for people and models name it. Pure.

/** `colibri logs <server>`, with the name quoted for a shell unless it is a plain word. A name that looks like an option comes after `--`. */
export const logsCommand = (server: string): string => {
  const isWord = /^\w[\w.-]*$/.test(server);
  const name = isWord ? server : `'${server.replaceAll("'", "'\\''")}'`;
  return `colibri logs ${server.startsWith('-') ? '-- ' : ''}${name}`;
};
