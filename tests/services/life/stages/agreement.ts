import type { Assert } from '@japa/assert'

import { APPROVED, type Study } from '#tests/services/life/study'

/** The realm of the node with data agrees, for itself and to this code only. */
export async function agree(study: Study, assert: Assert): Promise<void> {
  const { steward, stranger, data } = study.cast
  const { turns } = study
  const explained = await study.read(`${study.path}/explain`)
  assert.equal(explained.phase, 'build')
  const waiting = explained.conditions.find(({ holds }: { holds: boolean }) => !holds)
  assert.deepEqual(waiting.who, [
    { type: 'node', nodeId: data.id, realmId: study.cast.realms.site },
  ])

  const { method, path, body } = waiting.action
  await turns.foreign(study.cast.researcher.core(method, path, body))
  await turns.foreign(stranger.core(method, path, body))
  await turns.lacking(
    study.cast.guest.core(method, path, body),
    'analysis_update',
    'analysis_approve'
  )
  await turns.lacking(data.program.core(method, path, body), 'analysis_approve')
  const ofOther = `/analysis-nodes/${(await study.partOf(study.cast.aggregator)).id}`
  await turns.foreign(steward.core('POST', ofOther, { approvalStatus: 'rejected' }))
  const maybe = { approvalStatus: 'maybe' }
  await turns.refused(
    steward.core(method, path, maybe),
    400,
    'bad_request',
    'one_of_failed approvalStatus'
  )
  await refuseCredentials(study)
  await steward.done('core', method, path, body)
  assert.equal((await data.program.core('GET', `${study.path}/client/credentials`)).status, 200)
  await refuseChangedCode(study, path, assert)
  await refuseWithdrawnProject(study)
}

async function refuseCredentials(study: Study): Promise<void> {
  const { turns } = study
  const credentials = `${study.path}/client/credentials`
  for (const one of [
    study.cast.data.program,
    study.cast.bystander.program,
    study.cast.stranger,
    study.cast.steward,
  ]) {
    await turns.foreign(one.core('GET', credentials))
  }
}

/** What was agreed to is what is built: code comes in after an unlock only, and then the node is asked anew. */
async function refuseChangedCode(study: Study, approving: string, assert: Assert): Promise<void> {
  const { data, researcher, steward } = study.cast
  const { turns } = study
  const addCode = () => study.upload(researcher, 'CODE', 'more.py', 'print(2)')
  await turns.refused(addCode(), 409, 'entity_conflict', 'analysis_locked')
  await study.does('configurationUnlock')
  assert.equal((await addCode()).status, 201)
  await study.fileOf('CODE', 'more.py')
  await study.does('configurationLock')
  assert.isNull((await study.partOf(data)).approvalStatus)
  await study.unready('buildStart', 'nodes_approval_required')
  await turns.foreign(data.program.core('GET', `${study.path}/client/credentials`))
  await steward.done('core', 'POST', approving, { approvalStatus: 'rejected' })
  await study.unready('buildStart', 'nodes_approval_required')
  await steward.done('core', 'POST', approving, APPROVED)
}

async function refuseWithdrawnProject(study: Study): Promise<void> {
  const query = `filter[projectId]=${study.projectId}&filter[nodeId]=${study.cast.data.id}`
  const [{ id }] = await study.read(`/project-nodes?${query}`)
  const path = `/project-nodes/${id}`
  await study.cast.steward.done('core', 'POST', path, { approvalStatus: 'rejected' })
  await study.unready('buildStart', 'project_approval_required')
  await study.cast.steward.done('core', 'POST', path, APPROVED)
}
