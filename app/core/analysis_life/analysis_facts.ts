import type pg from 'pg'

import type { Analysis } from '#core/analyses/analysis'
import { selectBuildRegistry } from '#core/registries/build_registry'
import { coreSettings } from '#core/core_settings'
import type { Row } from '#records/row'

/** The facts that guards are checked against. */
export interface AnalysisFacts {
  readonly analysis: Row<typeof Analysis>
  /** Whether every assigned node approved the project. */
  readonly areProjectsApproved: boolean
  /** Whether the stored code is byte by byte what the nodes approved. */
  readonly isCodeAsStored: boolean
  /** Whether the build was checked and is not signed by this hub. */
  readonly isBuildUnsigned: boolean
  /** Ids of nodes. */
  readonly nodesWithoutRegistry: readonly string[]
  /** The registry that is assigned to an analysis without one. */
  readonly firstRegistryId: string | null
}

/** Facts from outside of the database, which are checked before. */
export interface ExternalFacts {
  readonly isCodeAsStored?: boolean
  /** The digest of a build without a valid signature. */
  readonly unsignedBuild?: string | undefined
}

interface FactsRow {
  readonly unapproved: number
  readonly nodesWithoutRegistry: readonly string[]
  readonly firstRegistryId: string | null
}

const FACTS = {
  name: 'facts-of-analysis',
  text: `select
      count(n.id) filter (where p.approval_status is distinct from 'approved')::int as unapproved,
      coalesce(array_agg(n.id::text order by n.id) filter (where n.registry_id is null), '{}')
        as "nodesWithoutRegistry",
      coalesce(${selectBuildRegistry('null')},
        (select id from registries order by created_at, id limit 1)) as "firstRegistryId"
    from analysis_nodes a
    join nodes n on n.id = a.node_id
    left join project_nodes p on p.node_id = n.id and p.project_id = $2
    where a.analysis_id = $1`,
}

/** The caller has locked the analysis if it is about to change it. */
export async function loadFacts(
  database: pg.Pool | pg.ClientBase,
  analysis: Row<typeof Analysis>,
  { isCodeAsStored = true, unsignedBuild }: ExternalFacts = {}
): Promise<AnalysisFacts> {
  const { rows } = await database.query<FactsRow>({
    ...FACTS,
    values: [analysis.id, analysis.projectId],
  })
  const { unapproved, nodesWithoutRegistry, firstRegistryId } = rows[0]!
  return {
    analysis,
    isCodeAsStored,
    isBuildUnsigned: unsignedBuild !== undefined && unsignedBuild === analysis.buildHash,
    areProjectsApproved: coreSettings().skipsProjectApproval || unapproved === 0,
    nodesWithoutRegistry,
    firstRegistryId,
  }
}
