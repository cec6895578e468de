import { ServiceUnavailable } from '#kernel/failures'
import { NO_REACH, type AnalysisReach } from './analysis_reach.js'

/** Without core there are no analyses of people, and clients of analyses and nodes look like all others. */
export const withoutCore: AnalysisReach = {
  async of({ kind }) {
    if (kind === 'client') {
      throw new ServiceUnavailable(
        'Storage cannot find out what this client belongs to: set CORE_URL for the process that serves storage'
      )
    }
    return NO_REACH
  },
  typesOf: async () => [],
  realmOf: async () => undefined,
}
