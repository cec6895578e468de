import type { ChangeContent, ActorContext, SecurityContent } from '#outbox/entry'
import type { Diff } from './diff.js'

/** What the audit trail takes in. Without `expiring` it decides itself how long an event is kept. */
export interface AuditEvent {
  readonly scope: 'entity'
  readonly name: string
  readonly refType: string
  readonly refId: string | null
  readonly realmId: string | null
  readonly actorType: string | null
  readonly actorId: string | null
  readonly actorName: string | null
  readonly requestPath: string | null
  readonly requestMethod: string | null
  readonly requestIpAddress: string | null
  readonly requestUserAgent: string | null
  readonly data: { readonly diff?: Diff }
  readonly expiring?: false
}

/** A change of a record as the audit trail keeps it. */
export function auditedChange(content: ChangeContent): AuditEvent {
  const { kind, change, id, realmId, diff, isLasting, doer } = content
  return {
    scope: 'entity',
    name: change,
    refType: kind,
    refId: id,
    realmId,
    ...fieldsOf(doer),
    data: diff ? { diff } : {},
    ...(isLasting && { expiring: false as const }),
  }
}

/** Something that matters to security although no record changed. */
export function auditedSecurity({
  event,
  subject,
  id,
  realmId,
  count,
  doer,
}: SecurityContent): AuditEvent {
  return {
    scope: 'entity',
    name: event,
    refType: subject,
    refId: id,
    realmId,
    ...fieldsOf(doer),
    // Of the data of an event the audit trail keeps what is written as a difference.
    data: count === undefined ? {} : { diff: { count: { next: count, previous: 0 } } },
  }
}

function fieldsOf({ actor, address, userAgent, method, path }: ActorContext) {
  return {
    actorType: actor?.type ?? null,
    actorId: actor?.id ?? null,
    actorName: actor?.name ?? null,
    requestPath: path ?? null,
    requestMethod: method ?? null,
    requestIpAddress: address ?? null,
    requestUserAgent: userAgent ?? null,
  }
}
