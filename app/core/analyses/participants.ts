import { corePool } from '#core/database'

/** The realms that take part in an analysis: its own and those of its nodes. Undefined if it does not exist. */
export async function participantsOf(analysisId: string): Promise<readonly string[] | undefined> {
  const { rows } = await corePool().query<{ realms: readonly string[] }>({
    name: 'participants-of-analysis',
    text: `select array(select realm_id::text union select node_realm_id::text from analysis_nodes
             where analysis_id = a.id) as realms
           from analyses a where a.id = $1`,
    values: [analysisId],
  })
  return rows[0]?.realms
}
