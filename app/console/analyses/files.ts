import type { Listing } from '#console/hub_client'
import type { Page } from '#console/page'
import { PageNotFound } from '#console/page_not_found'

export const BUCKET_TYPES = ['RESULT', 'CODE', 'TEMP'] as const
export type BucketType = (typeof BUCKET_TYPES)[number]

interface BucketRow {
  readonly type: BucketType
  readonly bucketId: string
}

export interface FileRow {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly size: number | null
  readonly hash: string
  readonly bucketId: string
  readonly createdAt: string
}

const NO_FILES: Listing<FileRow> = { data: [], meta: { total: 0 } }

/** The buckets of an analysis; an empty list if the user may not see them. */
export async function bucketsOf(page: Page, analysisId: string): Promise<readonly BucketRow[]> {
  const buckets = await page.hub.optional(
    page.hub.list<BucketRow>('core', '/analysis-buckets', {
      'filter[analysisId]': analysisId,
      'page[limit]': 50,
    })
  )
  return buckets?.data ?? []
}

/** The files in the buckets of one type that the user may read. */
export async function filesIn(
  page: Page,
  buckets: readonly BucketRow[],
  type: BucketType,
  { limit, offset }: { readonly limit: number; readonly offset: number }
): Promise<Listing<FileRow>> {
  const ids = buckets.filter((bucket) => bucket.type === type).map(({ bucketId }) => bucketId)
  if (ids.length === 0) {
    return NO_FILES
  }
  const files = await page.hub.optional(
    page.hub.list<FileRow>('storage', '/bucket-files', {
      'filter[bucketId]': ids.join(),
      'sort': 'name',
      'page[limit]': limit,
      'page[offset]': offset,
    })
  )
  return files ?? NO_FILES
}

/** The file of a URL. It must belong to the analysis of the URL. */
export async function requireFile(page: Page): Promise<FileRow> {
  const [file, buckets] = await Promise.all([
    page.hub.read<{ data: FileRow }>('storage', `/bucket-files/${page.uuid('file')}`),
    bucketsOf(page, page.uuid('id')),
  ])
  if (!buckets.some(({ bucketId }) => bucketId === file.data.bucketId)) {
    throw new PageNotFound()
  }
  return file.data
}

export const typeOf = (text: string | null): BucketType =>
  BUCKET_TYPES.find((type) => type === text) ?? 'RESULT'
