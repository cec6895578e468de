import type { Actor } from '#kernel/actor'
import { readsCredentialsFromCore, RECORD_CLIENT_NAME } from './record_client_rules.js'
import { permissionsBeyond } from '#identity/embedded/strength'
import { where, type SqlCondition } from '#query/condition'
import { isMasterMember } from '#kernel/realm'

/**
 * The secrets that an actor may read: its own, and with `client_read` or `client_update` those of clients in its realm
 * with no more permissions than itself. Clients do not read those of records.
 */
export function revealsClientSecret(actor: Actor): boolean | SqlCondition {
  const mayRead = actor.permissions.has('client_read') || actor.permissions.has('client_update')
  if (!mayRead && actor.kind !== 'client') {
    return false
  }
  return where.sql(
    (row, bind) => {
      const own = actor.kind === 'client' ? `${row}.id = ${bind(actor.id)}::uuid` : 'false'
      return mayRead ? `(${own} or ${readable(actor, row, bind)})` : own
    },
    ['id', 'realm_id', 'name']
  )
}

function readable(actor: Actor, row: string, bind: (value: unknown) => string): string {
  const realm = isMasterMember(actor) ? 'true' : `${row}.realm_id = ${bind(actor.realmId)}::uuid`
  const isVisible = readsCredentialsFromCore(actor)
    ? `${row}.name !~* ${bind(RECORD_CLIENT_NAME)}`
    : 'true'
  return `(${realm} and ${isVisible} and not exists (${permissionsBeyond(actor, 'client', `${row}.id`, bind)}))`
}
