import { EXIT } from '#hubctl/exit_codes'
import type { Api } from '#hubctl/platform/api'
import { allOf, type Fields } from '#hubctl/platform/pages'
import { Problem } from '#hubctl/problem'
import { findRecord } from './find_record.js'
import { ANALYSES, ANALYSIS_BUCKETS } from './record_collections.js'

export const BUCKET_TYPES = ['code', 'result', 'temp'] as const

interface AnalysisBucket extends Fields {
  readonly id: string
  /** Null until storage has made it. */
  readonly bucketId: string | null
}

/** The bucket that an analysis keeps its code, its results or its temporary files in; the first one, where others were added. */
export async function findAnalysisBucket(
  api: Api,
  idOrName: string,
  type: string
): Promise<{ id: string; bucketId: string }> {
  const { id: analysisId } = await findRecord(api, ANALYSES, idOrName)
  const condition = `and(eq(analysisId,'${analysisId}'),eq(type,'${type.toUpperCase()}'))`
  const [found] = await allOf<AnalysisBucket>(
    api,
    ANALYSIS_BUCKETS.service,
    ANALYSIS_BUCKETS.path,
    {
      query: [
        ['filter', condition],
        ['sort', 'createdAt'],
      ],
    }
  )
  if (!found?.bucketId) {
    throw new Problem(EXIT.notFound, `The analysis ${idOrName} has no ${type} bucket yet.`, [
      `Have it made: hubctl analysis check-storage ${idOrName}`,
    ])
  }
  return { id: found.id, bucketId: found.bucketId }
}
