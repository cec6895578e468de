import type { ChangeContent, ActorContext, SecurityContent } from '#outbox/entry'
import type { Diff } from './diff.js'

/** An event of the audit trail. Without `expiring` the audit trail determines the retention. */
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

/** The audit event of a change. */
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

/** The audit event of a security event, which changes no record. */
export function auditedSecurity({
  event,
  subject,
  id,
  realmId,
  count,
  facts = {},
  doer,
}: SecurityContent): AuditEvent {
  // The audit trail only stores `diff`.
  const diff: Diff = {
    ...(count !== undefined && { count: { next: count, previous: 0 } }),
    ...Object.fromEntries(
      Object.entries(facts).map(([name, next]) => [name, { next, previous: null }])
    ),
  }
  return {
    scope: 'entity',
    name: event,
    refType: subject,
    refId: id,
    realmId,
    ...fieldsOf(doer),
    data: Object.keys(diff).length === 0 ? {} : { diff },
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
