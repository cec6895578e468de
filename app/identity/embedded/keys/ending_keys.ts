import { SIGNING_KEY_MS } from '#identity/embedded/tokens/lifetimes'
import { identityPool } from '#identity/embedded/database'
import { canSign, readKeys } from './key_store.js'

/** The current signing keys and when they expire. The provider creates the next one itself. */
export async function endingKeys(): Promise<{ id: string; expiresAt: string }[]> {
  const keys = await readKeys(identityPool())
  return keys.filter(canSign).map(({ kid, createdAt }) => ({
    id: kid,
    expiresAt: new Date(createdAt + SIGNING_KEY_MS).toISOString(),
  }))
}
