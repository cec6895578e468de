import type { Actor } from '#kernel/actor'
import { isUuid } from '#kernel/is_uuid'
import { isMasterMember } from '#kernel/realm'
import type { LogFilter } from './log_filter.js'
import { enclosed, REALMS_FIELD } from './owner_fields.js'

/** The filter, restricted to what the actor may see: lines of its realm; all for the master realm. */
export function visibleTo(actor: Actor, filter: LogFilter): LogFilter {
  return isMasterMember(actor)
    ? filter
    : { kind: 'and', filters: [filter, linesOfRealm(actor.realmId)] }
}

function linesOfRealm(realmId: string | null): LogFilter {
  return realmId === null || !isUuid(realmId)
    ? { kind: 'oneOf', name: REALMS_FIELD, values: [] }
    : { kind: 'contains', name: REALMS_FIELD, text: enclosed(realmId.toLowerCase()) }
}
