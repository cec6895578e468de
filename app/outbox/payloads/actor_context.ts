import type { Origin, RequestSource } from '#kernel/origin'
import type { ActorContext } from '#outbox/entry'

/** An actor as the audit trail remembers it; one that is not known is left out. */
export function actorContextOf({
  actor,
  address,
  userAgent,
  method,
  path,
}: RequestSource & Partial<Origin>): ActorContext {
  return {
    ...(actor && { actor: { type: actor.kind, id: actor.id, name: actor.name } }),
    ...(address && { address: normalizedAddress(address) }),
    ...(userAgent && { userAgent }),
    ...(method && { method }),
    ...(path && { path }),
  }
}

/** One spelling for one address: a socket that takes both versions writes those of version 4 as if they were of version 6. */
function normalizedAddress(address: string): string {
  return address === '::1' ? '127.0.0.1' : address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}
