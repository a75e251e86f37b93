// The key under which a server's tool list (catalogue) is stored, and the id by which records name the database row.

/** The key of a stored tool list: the server's name, the digest of its connection, and the client's capabilities. Each may change the list. */
export interface CatalogueKey {
  readonly server: string;
  readonly connection: string;
  readonly client: string;
}

export const catalogueId = ({ connection, client, server }: CatalogueKey): string =>
  `${connection}/${client}/${server}`;
