import type { Assert } from '@japa/assert'

import { eventually } from '#tests/helpers/eventually'
import { SOON_MS, type Study } from '#tests/services/life/study'

/** The analysis goes, and everything goes with it. */
export async function end(study: Study, assert: Assert): Promise<void> {
  const { researcher } = study.cast
  const { turns, path } = study
  const { data } = (await researcher.core('GET', `${path}/timeline`)).body
  assert.includeMembers(
    data.map(({ source }: { source: string }) => source),
    ['event', 'status', 'approval', 'log']
  )
  await turns.lacking(study.cast.guest.core('DELETE', path), 'analysis_delete')
  await turns.foreign(study.cast.stranger.core('DELETE', path))
  await turns.foreign(study.cast.steward.core('DELETE', path))
  await turns.lacking(study.cast.data.program.core('DELETE', path), 'analysis_delete')
  await researcher.done('core', 'DELETE', path)

  const gone = (method: string, where: string, body?: object) =>
    turns.refused(researcher.core(method, where, body), 404, 'entity_not_found')
  await gone('GET', path)
  await gone('DELETE', path)
  await gone('GET', `${path}/explain`)
  await gone('GET', `${path}/client/credentials`)
  await gone('POST', `${path}/command`, { command: 'storageCheck' })
  for (const { bucketId } of study.buckets) {
    const bucket = `/buckets/${bucketId}`
    const isGone = async () => (await researcher.call('storage', 'GET', bucket)).status === 404
    await eventually(isGone, SOON_MS)
  }
}
