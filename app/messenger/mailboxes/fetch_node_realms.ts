import type { RemoteSurface } from '#auth/remote_surface'
import { orUnavailable } from '#auth/or_unavailable'
import { ownRequest } from '#auth/own_request'

interface NodePage {
  readonly data: readonly { readonly clientId: string; readonly realmId: string }[]
}

/** The realms of the nodes with these clients, as core returns them over HTTP. At most a page of them. */
export async function fetchNodeRealms(
  core: RemoteSurface,
  clientIds: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const query = new URLSearchParams({
    'fields': 'clientId,realmId',
    'filter[clientId]': clientIds.join(),
    'page[limit]': String(clientIds.length),
  })
  const message = 'The realms of the nodes cannot be determined now; try again shortly'
  return orUnavailable({ service: 'core', message }, async () => {
    const { status, text } = await ownRequest(core, `/nodes?${query}`)
    if (status !== 200) {
      throw new Error(`status ${status}`)
    }
    const { data } = JSON.parse(text) as NodePage
    return new Map(data.map(({ clientId, realmId }) => [clientId, realmId]))
  })
}
