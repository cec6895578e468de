import type { Assert } from '@japa/assert'

import type { Caller } from '#tests/services/life/caller'
import type { Study } from '#tests/services/life/study'

/** The programs of the nodes tell how far they are, each for its own. */
export async function execute(study: Study): Promise<void> {
  const { data, aggregator } = study.cast
  await refuseReports(study)
  const sendReport = async (status: string, progress: number) => {
    for (const node of [data, aggregator]) {
      const { id } = await study.partOf(node)
      const report = { executionStatus: status, executionProgress: progress }
      await node.program.done('core', 'POST', `/analysis-nodes/${id}`, report)
    }
    await study.reaches({ executionStatus: status, executionProgress: progress })
  }
  await sendReport('executing', 40)
  await logLines(study)
  await sendReport('executed', 100)
}

async function refuseReports(study: Study): Promise<void> {
  const { data, aggregator } = study.cast
  const { turns } = study
  const ofData = `/analysis-nodes/${(await study.partOf(data)).id}`
  const report = (by: Caller, body: object) => by.core('POST', ofData, body)
  const running = { executionStatus: 'executing', executionProgress: 40 }
  await turns.foreign(report(study.cast.researcher, running))
  await turns.foreign(report(aggregator.program, running))
  await turns.foreign(report(study.cast.stranger, running))
  const invalid = (body: object, ...issues: string[]) =>
    turns.refused(report(data.program, body), 400, 'bad_request', ...issues)
  await invalid({ executionStatus: 'dancing' }, 'one_of_failed executionStatus')
  await invalid({ executionProgress: 101 }, 'max_value executionProgress')
}

async function logLines(study: Study): Promise<void> {
  const { data, aggregator } = study.cast
  const { turns, analysisId } = study
  const line = (nodeId: string) => ({ analysisId, nodeId, message: 'half of it' })
  await turns.foreign(aggregator.program.core('POST', '/analysis-node-logs', line(data.id)))
  await data.program.done('core', 'POST', '/analysis-node-logs', line(data.id))
  const logs = `/analysis-node-logs?filter[analysisId]=${analysisId}&filter[nodeId]=${data.id}`
  await turns.foreign(study.cast.stranger.core('GET', logs))
  await turns.lacking(study.cast.guest.core('GET', logs), 'analysis_update', 'log_read')
}

/** The results come in by one node, and are taken home by the realm of the analysis. */
export async function bringResults(study: Study, assert: Assert): Promise<void> {
  const { researcher, aggregator, bystander, stranger } = study.cast
  const { turns } = study
  await turns.foreign(study.upload(bystander.program, 'RESULT', 'result.csv', '4,5,6'))
  await turns.foreign(study.upload(stranger, 'RESULT', 'result.csv', '4,5,6'))
  assert.equal(
    (await study.upload(aggregator.program, 'RESULT', 'result.csv', '1,2,3')).status,
    201
  )
  await study.fileOf('RESULT', 'result.csv')
  const path = `/buckets/${study.bucket('RESULT').bucketId}/stream`
  await turns.foreign(stranger.call('storage', 'GET', path))
  await turns.foreign(study.cast.steward.call('storage', 'GET', path))
  const tar = await researcher.fetch('storage', path)
  assert.equal(tar.status, 200)
  assert.include(Buffer.from(await tar.arrayBuffer()).toString('latin1'), '1,2,3')
  assert.deepEqual(await study.read(`${study.path}/explain`), {
    phase: 'finished',
    ready: true,
    conditions: [],
  })
}
