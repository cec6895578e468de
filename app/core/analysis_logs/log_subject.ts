import type { LogLabels } from './analysis_log_store.js'
import type { Vocabulary } from '#query/declaration'

export const LINES_PER_PAGE = 50

/** Sorting and pagination of lists that telemetry serves. */
const PAGES = { sorts: { allowed: ['time'] }, pagination: { maxLimit: LINES_PER_PAGE } }

/** What log lines are about: how they are queried, and which labels they are stored with. */
export interface LogSubject {
  /** Completes summaries such as "List the log lines …". */
  readonly phrase: string
  readonly vocabulary: Vocabulary
  /** Labels that every query has to name. */
  readonly requiredLabels: readonly string[]
  /** Converts the labels of a query to the labels of stored lines. */
  toStoredLabels(labels: LogLabels): LogLabels
}

/** Lines about an analysis. */
export const ANALYSIS: LogSubject = {
  phrase: 'of an analysis',
  vocabulary: {
    name: 'analysisLog',
    filters: { allowed: ['level', 'analysisId'] },
    ...PAGES,
  },
  requiredLabels: ['analysisId'],
  toStoredLabels: ({ analysisId, ...labels }) => ({
    ...labels,
    refType: 'analysis',
    refId: analysisId!,
  }),
}

/** Lines about an analysis at one of its nodes. */
export const ANALYSIS_AT_NODE: LogSubject = {
  phrase: 'of an analysis at a node',
  vocabulary: {
    name: 'analysisNodeLog',
    filters: { allowed: ['level', 'analysisId', 'nodeId'] },
    ...PAGES,
  },
  requiredLabels: ['analysisId', 'nodeId'],
  toStoredLabels: (labels) => ({ ...labels, refType: 'analysisNode' }),
}
