import { ServiceUnavailable } from '#kernel/failures'
import type { RemoteSurface } from '#auth/own_fetch'
import { ownRequest } from '#auth/own_request'
import { isUuid } from '#kernel/is_uuid'

const PAGE_SIZE = 50
/** Of a node with more analyses than fit into these pages, the newest count. */
const MAX_PAGES = 200

/** The address of core, and the provider that issues our token. */
export interface CoreAccess extends Pick<RemoteSurface, 'provider'> {
  readonly url: string | undefined
}

interface RecordPage {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly meta: { readonly total: number }
}

/** The analyses that the node of a client has approved, as core returns them over HTTP. */
export async function fetchParticipations(
  core: CoreAccess,
  clientId: string
): Promise<ReadonlySet<string>> {
  if (!isUuid(clientId)) {
    return new Set()
  }
  const nodes = await fetchAll(core, '/nodes', 'id', { clientId })
  const analyses =
    nodes.length === 0
      ? []
      : await fetchAll(core, '/analysis-nodes', 'analysisId', {
          nodeId: nodes.join(),
          approvalStatus: 'approved',
        })
  return new Set(analyses)
}

/** One attribute of all matching records. */
async function fetchAll(
  core: CoreAccess,
  path: string,
  field: string,
  filters: Readonly<Record<string, string>>
): Promise<string[]> {
  const values: string[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      'fields': field,
      'sort': '-createdAt',
      'page[limit]': String(PAGE_SIZE),
      'page[offset]': String(page * PAGE_SIZE),
    })
    Object.entries(filters).forEach(([name, value]) => query.set(`filter[${name}]`, value))
    const { data, meta } = await fetchPage(core, `${path}?${query}`)
    values.push(...data.map((record) => String(record[field]).toLowerCase()))
    if (values.length >= meta.total || data.length === 0) {
      break
    }
  }
  return values
}

async function fetchPage(core: CoreAccess, path: string): Promise<RecordPage> {
  try {
    return await requestPage(core, path)
  } catch (error) {
    const cause = new Error(`core did not answer: ${(error as Error).message}`)
    throw new ServiceUnavailable(
      'Participation in the analysis cannot be determined now; try again shortly',
      {
        cause,
        headers: { 'retry-after': '5' },
      }
    )
  }
}

async function requestPage({ url, provider }: CoreAccess, path: string): Promise<RecordPage> {
  if (url === undefined) {
    throw new Error('CORE_URL is not set')
  }
  const answer = await ownRequest({ url, provider }, path)
  if (answer.status !== 200) {
    throw new Error(`status ${answer.status}`)
  }
  return JSON.parse(answer.text) as RecordPage
}
