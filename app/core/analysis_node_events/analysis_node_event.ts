import { analysis } from '#core/analyses/analysis'
import { node } from '#core/nodes/node'
import { column, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

/** Something that was told of a node while it worked on an analysis; the audit trail keeps what it was. */
export const analysisNodeEvent = defineKind({
  name: 'analysisNodeEvent',
  collection: '/analysis-node-events',
  table: 'analysis_node_events',
  columns: {
    id: column.uuid(),
    eventId: column.uuid({ nullable: true }),
    ...timestamps,
    analysisId: column.uuid(),
    analysisRealmId: column.uuid(),
    nodeId: column.uuid(),
    nodeRealmId: column.uuid(),
  },
  relations: {
    analysis: { to: () => analysis, goesAlong: true, by: 'analysisId', includable: true },
    node: { to: () => node, goesAlong: true, by: 'nodeId', includable: true },
  },
  filters: ['analysisId', 'nodeId'],
  sorts: ['createdAt', 'updatedAt'],
  indexes: [['id'], ['analysisId'], ['nodeId'], ['createdAt'], ['updatedAt']],
  namesAllowedFields: false,
  heardIn: ['analysisRealmId', 'nodeRealmId'],
  access: {},
})
