import type { Assert } from '@japa/assert'

import { eventually } from '#tests/helpers/eventually'
import { AT_ONCE_MS, SOON_MS, type Study } from '#tests/services/life/study'
import type { PlainWorker } from '#tests/services/life/worker'

/** An analysis with buckets, an image and code, that is locked. */
export async function configure(study: Study, worker: PlainWorker, assert: Assert): Promise<void> {
  await create(study, assert)
  await refuseBeforeConfiguration(study)
  await chooseImage(study, worker)
  await bringCode(study, assert)
  await assignNodes(study)
  await study.does('configurationLock')
  await refuseChangesOfLocked(study)
}

async function create(study: Study, assert: Assert): Promise<void> {
  const body = { projectId: study.projectId, name: 'first' }
  const analysis = await study.cast.researcher.done('core', 'POST', '/analyses', body)
  study.analysisId = analysis.id
  const buckets = `/analysis-buckets?filter[analysisId]=${analysis.id}`
  study.buckets = await eventually(async () => {
    const found = await study.read(buckets)
    return found.length === 3 && found
  }, AT_ONCE_MS)
  assert.containSubset(analysis, {
    realmId: study.cast.realms.research,
    nodes: 2,
    nodesApproved: 1,
    configurationNodesValid: true,
    configurationImageValid: false,
  })
  assert.isNotNull(analysis.clientId)
}

async function refuseBeforeConfiguration(study: Study): Promise<void> {
  const { turns, command, unready } = study
  await turns.refused(command('explode'), 400, 'bad_request', 'one_of_failed command')
  await turns.lacking(command('configurationLock', study.cast.guest), 'analysis_update')
  await turns.foreign(command('configurationLock', study.cast.stranger))
  await turns.foreign(command('configurationLock', study.cast.steward))
  await unready('configurationUnlock', 'configuration_unlocked')
  await unready('configurationLock', 'entrypoint_required', 'image_required')
  await unready('buildStart', 'configuration_unlocked', 'nodes_approval_required')
  await unready('buildCheck', 'configuration_unlocked', 'build_not_initialized')
  await unready('distributionStart', 'build_not_finished', 'nodes_approval_required')
  await unready(
    'distributionCheck',
    'build_not_initialized',
    'build_not_finished',
    'distribution_not_initialized'
  )
}

async function chooseImage(study: Study, worker: PlainWorker): Promise<void> {
  const { admin, researcher } = study.cast
  const { turns, path } = study
  worker.hasImages(
    [{ name: 'base', path: 'python/base', virtualPath: 'python/base', command: 'python3' }],
    [{ name: 'python', path: 'python', virtualPath: 'python' }]
  )
  await admin.done('core', 'POST', '/master-images/command', { command: 'sync' })
  const image = await eventually(async () => (await study.read('/master-images'))[0], SOON_MS)
  const unknown = { masterImageId: study.analysisId }
  await turns.refused(
    researcher.core('POST', path, unknown),
    400,
    'entity_relation_invalid',
    'value_invalid masterImageId'
  )
  const chosen = { masterImageId: image.id }
  await turns.foreign(study.cast.steward.core('POST', path, chosen))
  await researcher.done('core', 'POST', path, chosen)
  await study.unready('configurationLock', 'entrypoint_required')
}

async function bringCode(study: Study, assert: Assert): Promise<void> {
  const { researcher, steward, stranger } = study.cast
  const { turns } = study
  const { bucketId } = study.bucket('CODE')
  await turns.foreign(study.upload(stranger, 'CODE', 'main.py', 'print(0)'))
  await turns.foreign(study.upload(steward, 'CODE', 'main.py', 'print(0)'))
  await turns.foreign(study.upload(study.cast.bystander.program, 'CODE', 'main.py', 'print(0)'))
  const tar = `/buckets/${bucketId}/stream`
  await turns.foreign(stranger.call('storage', 'GET', tar))
  await turns.foreign(study.cast.bystander.program.call('storage', 'GET', tar))

  assert.equal((await study.upload(researcher, 'CODE', 'main.py', 'print(1)')).status, 201)
  const main = await study.fileOf('CODE', 'main.py', AT_ONCE_MS)
  const rooting = `/analysis-bucket-files/${main.id}`
  await turns.foreign(stranger.core('POST', rooting, { root: true }))
  await turns.foreign(steward.core('POST', rooting, { root: true }))
  await researcher.done('core', 'POST', rooting, { root: true })
}

/** Both nodes are assigned already; each is taken out once, and brought back. */
async function assignNodes(study: Study): Promise<void> {
  const { researcher, stranger } = study.cast
  const { turns, analysisId } = study
  const assignment = (nodeId: string) => ({ analysisId, nodeId })
  const assign = (by: typeof researcher, nodeId: string) =>
    by.core('POST', '/analysis-nodes', assignment(nodeId))
  await turns.foreign(assign(stranger, study.cast.data.id))
  await turns.refused(assign(researcher, study.cast.bystander.id), 404, 'entity_not_found')
  for (const [node, missing] of [
    [study.cast.data, 'default_node_required'],
    [study.cast.aggregator, 'aggregator_node_required'],
  ] as const) {
    const { id } = await study.partOf(node)
    await turns.foreign(stranger.core('DELETE', `/analysis-nodes/${id}`))
    await researcher.done('core', 'DELETE', `/analysis-nodes/${id}`)
    await study.unready('configurationLock', missing)
    await researcher.done('core', 'POST', '/analysis-nodes', assignment(node.id))
  }
}

async function refuseChangesOfLocked(study: Study): Promise<void> {
  const { researcher } = study.cast
  const { turns, path, analysisId } = study
  await study.unready('configurationLock', 'configuration_locked')
  await study.unready('buildStart', 'nodes_approval_required')
  await study.unready('buildCheck', 'build_not_initialized')
  const locked = (where: string, body: object) =>
    turns.refused(researcher.core('POST', where, body), 400, 'bad_request', 'configuration_locked')
  await locked('/analysis-nodes', { analysisId, nodeId: study.cast.data.id })
  await locked(path, { masterImageId: null })
  await locked(path, { imageCommandArguments: [{ value: '--all' }] })
  await locked(path, { registryId: study.cast.registryId })
  const main = await study.fileOf('CODE', 'main.py')
  await locked(`/analysis-bucket-files/${main.id}`, { root: false })
  const { id: analysisBucketId, bucketId } = study.bucket('CODE')
  const row = { path: 'more.py', analysisBucketId, bucketId, bucketFileId: main.id }
  await locked('/analysis-bucket-files', row)
}
