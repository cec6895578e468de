import { ServiceUnavailable } from '#kernel/failures'
import type { RemoteSurface } from '#auth/own_fetch'
import { ownRequest } from '#auth/own_request'
import { isUuid } from '#kernel/is_uuid'

const PAGE_SIZE = 50
/** A node that takes part in more analyses than fit into so many pages is known by the newest of them. */
const MAX_PAGES = 200

/** Where core is, and who vouches for us there. */
export interface CoreAccess extends Pick<RemoteSurface, 'provider'> {
  readonly url: string | undefined
}

interface RecordPage {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly meta: { readonly total: number }
}

/** The analyses in which a node agreed to take part that logs in as this client, asked of core at its address. */
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

/** One attribute of all records that match. */
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
    const cause = new Error(`core was asked in vain: ${(error as Error).message}`)
    throw new ServiceUnavailable(
      'Who takes part in the analysis cannot be told now; try again shortly',
      {
        cause,
        headers: { 'retry-after': '5' },
      }
    )
  }
}

async function requestPage({ url, provider }: CoreAccess, path: string): Promise<RecordPage> {
  if (url === undefined) {
    throw new Error('CORE_URL does not say where it is')
  }
  const answer = await ownRequest({ url, provider }, path)
  if (answer.status !== 200) {
    throw new Error(`it answered with the status ${answer.status}`)
  }
  return JSON.parse(answer.text) as RecordPage
}
