import { addressWith, offsetOf } from '#console/lists'
import type { Page, View } from '#console/page'
import { readAnalysis } from './analysis_page.js'
import { BUCKET_TYPES, bucketsOf, filesIn, typeOf } from './files.js'

const LIMIT = 50

/** Lists files of an analysis: results, code, or files that its nodes exchange. */
export async function showFiles(page: Page): Promise<View> {
  const id = page.uuid('id')
  const type = typeOf(page.query.get('type'))
  const offset = offsetOf(page.query)
  const [analysis, buckets] = await Promise.all([readAnalysis(page, id), bucketsOf(page, id)])
  const files = await filesIn(page, buckets, type, { limit: LIMIT, offset })
  const address = (of: string, at = 0) =>
    page.url(addressWith(`/analyses/${id}/files`, { type: of, offset: at }))
  return page.view('analyses/files', {
    title: page.t('analyses.files.title', { name: analysis.displayName ?? analysis.name }),
    analysis,
    tab: 'files',
    types: BUCKET_TYPES.map((key) => ({ key, href: address(key), isCurrent: key === type })),
    files: files.data,
    total: files.meta.total,
    limit: LIMIT,
    offset,
    href: (at: number) => address(type, at),
  })
}
