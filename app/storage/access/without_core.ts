import { ServiceUnavailable } from '#kernel/failures'
import { NO_REACH, type AnalysisReach } from './analysis_reach.js'

/** Without core there are no analyses of people, and no client can be told from that of an analysis or a node. */
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
