import { UnsafeObjectName } from './errors.js'
import type { ObjectAddress } from './object_store.js'

const CONTAINER = /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/
const KEY = /^[A-Za-z\d][\w.-]*(\/[A-Za-z\d][\w.-]*)*$/

/** Leaves room for suffixes of file names; longer than any key of ours. */
const KEY_LENGTH = 160

/**
 * Accepts only names that every driver treats alike and that cannot escape the store: no `..`, no leading dot or
 * slash.
 */
export function requireSafeAddress({ container, key }: ObjectAddress): void {
  requireSafeContainer(container)
  if (key.length > KEY_LENGTH || !KEY.test(key)) {
    throw new UnsafeObjectName('key', key)
  }
}

/** Like `requireSafeAddress`, for the container alone. */
export function requireSafeContainer(container: string): void {
  if (!CONTAINER.test(container) || container.includes('..')) {
    throw new UnsafeObjectName('container', container)
  }
}
