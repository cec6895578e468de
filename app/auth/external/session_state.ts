import { clock } from '#kernel/clock'

import { OPTIONAL_STATUSES, type ProviderApi } from './provider_api.js'

/**
 * The state of a session. A missing one has ended only if it was active before: a provider may have no sessions.
 * Undefined if the platform may not read it.
 */
export async function readSessionState(
  api: ProviderApi,
  id: string
): Promise<'active' | 'missing' | undefined> {
  const path = `/sessions/${encodeURIComponent(id)}`
  const { status, body } = await api.call(path, { expected: OPTIONAL_STATUSES })
  if (status === 403) {
    return undefined
  }
  const isOver = Date.parse(body?.data?.expiresAt) <= clock.now()
  return status === 404 || isOver ? 'missing' : 'active'
}
