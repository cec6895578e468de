import type { Origin, RequestSource } from '#kernel/origin'
import type { ActorContext } from '#outbox/entry'

/** The actor and source of a change, without absent fields. */
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

/** Normalizes IPv4 addresses that a dual-stack socket reports as IPv6. */
function normalizedAddress(address: string): string {
  return address === '::1' ? '127.0.0.1' : address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}
