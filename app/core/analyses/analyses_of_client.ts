import { corePool } from '#core/database'

/** The ids of the analyses that were approved by the node with this client. */
export async function analysesOfClient(clientId: string): Promise<ReadonlySet<string>> {
  const { rows } = await corePool().query<{ id: string }>(
    `select distinct a.analysis_id as id from analysis_nodes a join nodes n on n.id = a.node_id
     where a.approval_status = 'approved' and n.client_id::text = lower($1)`,
    [clientId]
  )
  return new Set(rows.map(({ id }) => id))
}
