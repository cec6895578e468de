import type { RemoteSurface } from '#auth/remote_surface'
import { orUnavailable } from '#auth/or_unavailable'
import { ownRequest } from '#auth/own_request'
import type { FindParticipants } from './participants.js'

const PAGE_SIZE = 50
/** Of an analysis with more nodes than fit into these pages, the newest count. */
const MAX_PAGES = 200

type Fields = Readonly<Record<string, unknown>>

/** Asks core over HTTP which realms take part in an analysis. */
export function fetchParticipants(core: RemoteSurface): FindParticipants {
  const message = 'The realms of the analysis cannot be determined now; try again shortly'
  return (analysisId) =>
    orUnavailable({ service: 'core', message }, async () => {
      const analysis = await request(core, `/analyses/${analysisId}?fields=realmId`)
      if (analysis === undefined) {
        return undefined
      }
      const { realmId } = (analysis as { data: Fields }).data
      return [...new Set([String(realmId), ...(await nodeRealms(core, analysisId))])]
    })
}

async function nodeRealms(core: RemoteSurface, analysisId: string): Promise<string[]> {
  const realms: string[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      'filter[analysisId]': analysisId,
      'fields': 'nodeRealmId',
      'sort': '-createdAt',
      'page[limit]': String(PAGE_SIZE),
      'page[offset]': String(page * PAGE_SIZE),
    })
    const { data, meta } = (await request(core, `/analysis-nodes?${query}`)) as {
      data: readonly Fields[]
      meta: { total: number }
    }
    realms.push(...data.map(({ nodeRealmId }) => String(nodeRealmId)))
    if (realms.length >= meta.total || data.length === 0) {
      break
    }
  }
  return realms
}

/** The body of the answer; undefined for a record that does not exist. */
async function request(core: RemoteSurface, path: string): Promise<unknown> {
  const { status, text } = await ownRequest(core, path)
  if (status === 404) {
    return undefined
  }
  if (status !== 200) {
    throw new Error(`status ${status}`)
  }
  return JSON.parse(text)
}
