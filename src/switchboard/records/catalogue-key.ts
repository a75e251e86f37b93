// Which remembered catalogue is meant, and its name in records.

/** Whose tools: the server by name, how it is reached, and what the client offered. */
export interface CatalogueKey {
  readonly server: string;
  readonly connection: string;
  readonly client: string;
}

export const catalogueId = ({ connection, client, server }: CatalogueKey): string =>
  `${connection}/${client}/${server}`;
