import { env } from '#start/env'

let isStrict = env.STORAGE_STRICT_REALM

/** Whether clients and robots of other realms have to be let in by an analysis they take part in. */
export const isRealmStrict = (): boolean => isStrict

/**
 * Sets the switch until the returned function is called.
 */
export function switchStrictRealm(strict: boolean): () => void {
  const previous = isStrict
  isStrict = strict
  return () => {
    isStrict = previous
  }
}
