import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'

import { storedPublicKey } from './public_key.js'

/** A client belongs to a realm, so a node of no realm could not log in. */
export function requireOwner(realmId: string | null): string {
  if (realmId === null) {
    throw new BadRequest('Property realmId is invalid', {
      issues: [issue('required', ['realmId'], 'Name a realm: yours is not known')],
    })
  }
  return realmId
}

/** What was sent, with a public key in the form in which it is kept. */
export function withStoredKey<Sent extends { publicKey?: string | null }>(values: Sent): Sent {
  return typeof values.publicKey === 'string'
    ? { ...values, publicKey: storedPublicKey(values.publicKey) }
    : values
}
