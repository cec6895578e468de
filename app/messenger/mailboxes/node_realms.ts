/** Knows the realms of the nodes with these clients; of none without core. */
export abstract class NodeRealms {
  abstract find(clientIds: readonly string[]): Promise<ReadonlyMap<string, string>>
}
