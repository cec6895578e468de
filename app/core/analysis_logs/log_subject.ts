import type { LogLabels } from './kept_logs.js'
import type { Vocabulary } from '#query/declaration'

export const LINES_PER_PAGE = 50

/** What lists of lines that are kept elsewhere offer. */
const PAGES = { sorts: { allowed: ['time'] }, pagination: { maxLimit: LINES_PER_PAGE } }

/** What lines are about: how they are asked for, and as what they are kept. */
export interface LogSubject {
  /** In the documents: what was logged … */
  readonly says: string
  readonly vocabulary: Vocabulary
  /** What a query has to name. */
  readonly names: readonly string[]
  /** The labels of lines that a query with these labels means. */
  keptAs(asked: LogLabels): LogLabels
}

/** Lines about an analysis. */
export const ANALYSIS: LogSubject = {
  says: 'of an analysis',
  vocabulary: {
    name: 'analysisLog',
    filters: { allowed: ['level', 'analysisId'] },
    ...PAGES,
  },
  names: ['analysisId'],
  keptAs: ({ analysisId, ...asked }) => ({ ...asked, refType: 'analysis', refId: analysisId! }),
}

/** Lines about an analysis at one of its nodes. */
export const ANALYSIS_AT_NODE: LogSubject = {
  says: 'of an analysis at a node',
  vocabulary: {
    name: 'analysisNodeLog',
    filters: { allowed: ['level', 'analysisId', 'nodeId'] },
    ...PAGES,
  },
  names: ['analysisId', 'nodeId'],
  keptAs: (asked) => ({ ...asked, refType: 'analysisNode' }),
}
