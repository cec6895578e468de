import type { RemoteSurface } from '#auth/own_fetch'
import { ownRequest } from '#auth/own_request'
import { ServiceUnavailable } from '#kernel/failures'

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
  try {
    const { status, text } = await ownRequest(core, `/nodes?${query}`)
    if (status !== 200) {
      throw new Error(`status ${status}`)
    }
    const { data } = JSON.parse(text) as NodePage
    return new Map(data.map(({ clientId, realmId }) => [clientId, realmId]))
  } catch (error) {
    const cause = new Error(`core did not answer: ${(error as Error).message}`)
    const message = 'The realms of the nodes cannot be determined now; try again shortly'
    throw new ServiceUnavailable(message, { cause, headers: { 'retry-after': '5' } })
  }
}
