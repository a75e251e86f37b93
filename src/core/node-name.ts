/** The host in the name of a node: of `host/user` in the store of a file. On a server a node is an id, which stands for itself. */
export const hostOfNode = (node: string): string => node.split('/', 1)[0] ?? node;
