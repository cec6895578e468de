import { EXIT } from '#hubctl/exit_codes'
import type { Api } from '#hubctl/platform/api'
import { allOf, type Fields } from '#hubctl/platform/pages'
import { Problem } from '#hubctl/problem'
import { findRecord } from './find_record.js'
import { ANALYSES, ANALYSIS_BUCKETS } from './record_collections.js'

export const BUCKET_TYPES = ['code', 'result', 'temp'] as const

interface AnalysisBucket extends Fields {
  readonly id: string
  /** Null until storage has created the bucket. */
  readonly bucketId: string | null
}

/** The code, result or temp bucket of an analysis; the oldest if there are several. */
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
      `Create it: hubctl analysis check-storage ${idOrName}`,
    ])
  }
  return { id: found.id, bucketId: found.bucketId }
}
