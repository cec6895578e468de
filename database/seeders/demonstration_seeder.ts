import { BaseSeeder } from '@adonisjs/lucid/seeders'

import { summarizeNodes } from '#core/analyses/node_summary'
import { Analysis } from '#core/analyses/analysis'
import { AnalysisNode } from '#core/analysis_nodes/analysis_node'
import { Node } from '#core/nodes/node'
import { ProjectNode } from '#core/project_nodes/project_node'
import { Project } from '#core/projects/project'
import { Realm } from '#identity/realms/realm'
import type { Env } from '#configuration/variables'
import { env } from '#start/env'

const NAME = 'demonstration'

/** Throws where people would take it for theirs. */
export function requireNoProduction({ NODE_ENV }: Pick<Env, 'NODE_ENV'> = env): void {
  if (NODE_ENV === 'production') {
    throw new Error('This is a production: a demonstration has no place among its records')
  }
}

/**
 * Something to look at in a new installation: two nodes of the master realm, a project both agreed to, and an analysis of it that
 * they take part in. It may run again; what is there stays as it is. The nodes have no clients, so that nobody logs in as one.
 */
export default class DemonstrationSeeder extends BaseSeeder {
  async run() {
    requireNoProduction()
    const realmId = await masterRealm()
    const nodes = await Node.fetchOrCreateMany(
      ['name', 'realmId'],
      [
        { name: `${NAME}-hospital`, realmId, type: 'default' },
        { name: `${NAME}-aggregator`, realmId, type: 'aggregator' },
      ]
    )
    const counted = { nodes: nodes.length, analyses: 1 }
    const project = await Project.firstOrCreate({ name: NAME }, { realmId, ...counted })
    const facts = {
      approvalStatus: 'approved',
      executionStatus: null,
      executionProgress: null,
    } as const
    const figures = summarizeNodes(nodes.map(({ type }) => ({ type, ...facts })))
    const analysis = await Analysis.firstOrCreate(
      { name: NAME, projectId: project.id },
      { realmId, ...figures }
    )
    for (const { id: nodeId } of nodes) {
      const approved = { nodeRealmId: realmId, approvalStatus: 'approved' } as const
      await ProjectNode.firstOrCreate(
        { projectId: project.id, nodeId },
        { projectRealmId: realmId, ...approved }
      )
      await AnalysisNode.firstOrCreate(
        { analysisId: analysis.id, nodeId },
        { analysisRealmId: realmId, ...approved }
      )
    }
  }
}

async function masterRealm(): Promise<string> {
  const realm = await Realm.findBy('name', 'master')
  if (!realm) {
    throw new Error('There is no master realm yet: start the installation once, then seed it')
  }
  return realm.id
}
