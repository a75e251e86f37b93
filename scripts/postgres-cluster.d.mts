export interface Cluster {
  readonly bin: string;
  readonly dir: string;
}

/** The folder of the newest installed programs of the server. */
export function installedPostgres(): string | undefined;

/** Runs one of them, as a user that may. Throws if it fails. */
export function runProgram(bin: string, program: string, args: readonly string[]): void;

/** Makes and starts a cluster in a folder of its own. `settings`: lines of postgresql.conf. */
export function startCluster(
  bin: string,
  settings: string,
): { readonly url: (database: string) => string; readonly cluster: Cluster };

/** Ends a cluster and removes its folder. */
export function stopCluster(cluster: Cluster): void;
