import type { LogLabels } from './analysis_log_store.js'
import type { Vocabulary } from '#query/declaration'

export const LINES_PER_PAGE = 50

/** What lists of lines that are kept elsewhere offer. */
const PAGES = { sorts: { allowed: ['time'] }, pagination: { maxLimit: LINES_PER_PAGE } }

/** What lines are about: how they are asked for, and as what they are kept. */
export interface LogSubject {
  /** In the documents: what was logged … */
  readonly phrase: string
  readonly vocabulary: Vocabulary
  /** What a query has to name. */
  readonly requiredLabels: readonly string[]
  /** The labels of lines that a query with these labels means. */
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
