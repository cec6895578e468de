import { clock } from '#kernel/clock'

import { SHOWN_OR_NOT, type ProviderApi } from './provider_api.js'

/**
 * Whether a session of a provider lasts. One that is not there has ended only where it was seen to last before: a provider
 * may have no sessions. Undefined where the platform may not ask.
 */
export async function readSessionState(
  api: ProviderApi,
  id: string
): Promise<'lasts' | 'is not there' | undefined> {
  const path = `/sessions/${encodeURIComponent(id)}`
  const { status, body } = await api.call(path, { expected: SHOWN_OR_NOT })
  if (status === 403) {
    return undefined
  }
  const isOver = Date.parse(body?.data?.expiresAt) <= clock.now()
  return status === 404 || isOver ? 'is not there' : 'lasts'
}
