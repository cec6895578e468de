import type { Assert } from '@japa/assert'

import type { Study } from '#tests/services/life/study'
import type { PlainWorker } from '#tests/services/life/worker'

/** The worker builds what was agreed to. */
export async function build(study: Study, worker: PlainWorker, assert: Assert): Promise<void> {
  const { turns, command, unready } = study
  await unready('distributionStart', 'build_not_finished')
  await turns.lacking(command('buildStart', study.cast.guest), 'analysis_update')
  await turns.foreign(command('buildStart', study.cast.steward))
  await turns.foreign(command('buildStart', study.cast.data.program))
  await failOnce(study, worker, assert)
  assert.equal((await study.does('buildStart')).buildStatus, 'starting')
  await study.reaches({ buildStatus: 'executed', buildProgress: 100, buildOs: 'linux' })
  const { entrypoint, paths } = worker.built.get(study.analysisId)!
  assert.equal(entrypoint, './main.py')
  assert.sameMembers(paths, ['main.py', 'more.py'])
  await unready('configurationLock', 'configuration_locked', 'build_initialized')
  await unready('configurationUnlock', 'not_unlockable')
  await unready('buildStart', 'build_not_startable')
  assert.equal((await study.does('buildCheck')).buildStatus, 'executed')
}

/** What went wrong is told, and the build may be begun anew. */
async function failOnce(study: Study, worker: PlainWorker, assert: Assert): Promise<void> {
  const reason = 'no space is left on the disk'
  worker.failsNext(reason)
  await study.does('buildStart')
  await study.reaches({ buildStatus: 'failed', buildProgress: 90 })
  const { ready, conditions } = await study.read(`${study.path}/explain`)
  assert.isTrue(ready)
  const startable = conditions.find(({ code }: { code: string }) => code === 'build_not_startable')
  assert.equal(startable.reason, reason)
  await study.unready('distributionStart', 'build_not_finished')
}

/** The worker brings the image to the projects of the nodes in the registry. */
export async function distribute(study: Study, assert: Assert): Promise<void> {
  const { turns, command, unready } = study
  await unready('distributionCheck', 'distribution_not_initialized')
  await turns.foreign(command('distributionStart', study.cast.stranger))
  const node = `/nodes/${study.cast.data.id}`
  const { registryId } = await study.read(node)
  await turns.foreign(study.cast.researcher.core('POST', node, { registryId: null }))
  await study.cast.steward.done('core', 'POST', node, { registryId: null })
  await unready('distributionStart', 'node_registry_unassigned')
  await study.cast.steward.done('core', 'POST', node, { registryId })
  assert.equal((await study.does('distributionStart')).distributionStatus, 'starting')
  await study.reaches({ distributionStatus: 'executed', distributionProgress: 100 })
  await unready('distributionStart', 'distribution_not_startable')
  assert.equal((await study.does('distributionCheck')).distributionStatus, 'executed')
}
