import factory from '@adonisjs/lucid/factories'

import { AnalysisNode } from '#core/analysis_nodes/analysis_node'
import { clock } from '#kernel/clock'
import { AnalysisFactory } from './analysis_factory.js'
import { NodeFactory } from './node_factory.js'

/** Says nothing of what its analysis tells of its nodes, which only services keep. */
export const AnalysisNodeFactory = factory
  .define(AnalysisNode, () => ({ analysisRealmId: clock.uuid(), nodeRealmId: clock.uuid() }))
  .state('approved', (junction) => (junction.approvalStatus = 'approved'))
  .relation('analysis', () => AnalysisFactory)
  .relation('node', () => NodeFactory)
  .build()
