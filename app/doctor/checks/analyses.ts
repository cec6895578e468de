import { findStuckAnalyses } from '#core/analysis_life/stuck_analyses'
import { NOT_USED, type Check } from '#doctor/check'
import { finding } from '#doctor/finding'

const NAMED_AT_MOST = 5

/** Checks that builds and distributions make progress. */
export const analysesCheck: Check = {
  name: 'analyses',
  async run(context) {
    const { pool } = context.databaseOf('core') ?? {}
    if (!pool) {
      return NOT_USED
    }
    const silenceSeconds = context.env.WORKER_SILENCE_SECONDS
    const stuck = await findStuckAnalyses(pool, { silenceSeconds })
    const named = stuck
      .slice(0, NAMED_AT_MOST)
      .map(({ analysisId, process, status }) => `${analysisId} (${process} ${status})`)
    const rest = stuck.length - named.length
    const details = `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
    return stuck.length > 0 ? [finding('ANALYSES_STUCK', details)] : []
  },
}
