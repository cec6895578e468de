import factory from '@adonisjs/lucid/factories'

import { ProjectNode } from '#core/project_nodes/project_node'
import { clock } from '#kernel/clock'
import { NodeFactory } from './node_factory.js'
import { ProjectFactory } from './project_factory.js'

/** Says nothing of the counters of its project, which only services keep. */
export const ProjectNodeFactory = factory
  .define(ProjectNode, () => ({ projectRealmId: clock.uuid(), nodeRealmId: clock.uuid() }))
  .state('approved', (junction) => (junction.approvalStatus = 'approved'))
  .relation('project', () => ProjectFactory)
  .relation('node', () => NodeFactory)
  .build()
