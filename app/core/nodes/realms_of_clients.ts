import { corePool } from '#core/database'

/** The realms of the nodes with these clients. */
export async function realmsOfClients(
  clientIds: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await corePool().query<{ clientId: string; realmId: string }>(
    'select client_id as "clientId", realm_id as "realmId" from nodes where client_id = any($1)',
    [clientIds]
  )
  return new Map(rows.map(({ clientId, realmId }) => [clientId, realmId]))
}
