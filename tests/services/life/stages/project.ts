import { APPROVED, type Study } from '#tests/services/life/study'

const UNKNOWN = '9b2d7a54-0000-4000-8000-000000000000'

/** A project whose nodes take part: the one with data once its realm says so, the other by itself. */
export async function beginProject(study: Study): Promise<void> {
  const { researcher, guest, steward, stranger } = study.cast
  const { turns } = study
  await turns.lacking(guest.core('POST', '/projects', { name: 'study' }), 'project_create')
  const project = await researcher.done('core', 'POST', '/projects', { name: 'study' })
  study.projectId = project.id
  const member = (node: { id: string }) => ({ projectId: project.id, nodeId: node.id })
  await turns.foreign(stranger.core('POST', '/project-nodes', member(study.cast.data)))
  const { id } = await researcher.done('core', 'POST', '/project-nodes', member(study.cast.data))
  const itself = await researcher.done(
    'core',
    'POST',
    '/project-nodes',
    member(study.cast.aggregator)
  )
  if (itself.approvalStatus !== 'approved') {
    throw new Error('The aggregator had to decide')
  }

  const body = { projectId: project.id, name: 'first' }
  await turns.foreign(steward.core('POST', '/analyses', body))
  const decision = `/project-nodes/${id}`
  await turns.foreign(researcher.core('POST', decision, APPROVED))
  await turns.foreign(stranger.core('POST', decision, APPROVED))
  await turns.lacking(study.cast.data.program.core('POST', decision, APPROVED), 'project_approve')
  await steward.done('core', 'POST', decision, APPROVED)

  await turns.lacking(guest.core('POST', '/analyses', body), 'analysis_create')
  await turns.foreign(stranger.core('POST', '/analyses', body))
  const nowhere = { ...body, projectId: UNKNOWN }
  await turns.refused(
    researcher.core('POST', '/analyses', nowhere),
    400,
    'entity_relation_invalid',
    'value_invalid projectId'
  )
}
