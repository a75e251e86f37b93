// The key of a server's stored tool list (catalogue), and the name of its database row in records.

/** The server's name, its connection, and the client's capabilities: each may change which tools a server lists. */
export interface CatalogueKey {
  readonly server: string;
  readonly connection: string;
  readonly client: string;
}

export const catalogueId = ({ connection, client, server }: CatalogueKey): string =>
  `${connection}/${client}/${server}`;
