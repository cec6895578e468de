import vine from '@vinejs/vine'

import { holding } from '#kernel/access'
import { reference } from '#identity/embedded/rules'
import { realm } from '#identity/realms/realm'
import { column, onlyAtCreation, timestamps } from '#records/column'
import { defineKind, type Kind } from '#records/kind'

/** Who can be given something, and what. */
type Owner = 'user' | 'client' | 'role'
type Given = 'role' | 'permission' | 'scope'

/** A kind of record that says who was given what. */
export interface Assignment {
  readonly kind: Kind
  readonly owner: Owner
  readonly given: Given
}

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/**
 * Declares the assignments of one kind of record to another. They are part of their owner: whoever may update that may
 * write them, and whoever may read it sees them, unless they have permissions of their own.
 */
export function defineAssignment(
  owner: Owner,
  given: Given,
  kinds: { owner: () => Kind; given: () => Kind },
  access: Kind['access'] = accessOf(owner)
): Assignment {
  const ids = [`${owner}Id`, `${given}Id`] as const
  const realmIds = [`${owner}RealmId`, `${given}RealmId`] as const
  const chosen = column.uuid({ body: onlyAtCreation(vine.string().uuid()) })
  const derived = column.uuid({ nullable: true })
  const keys = ['id', ...ids, ...realmIds, 'policyId']
  const kind = defineKind({
    name: `${owner}${capitalised(given)}`,
    collection: `/${owner}-${given}s`,
    table: `${owner}_${given}s`,
    columns: {
      id: column.uuid(),
      [ids[0]]: chosen,
      [ids[1]]: chosen,
      [realmIds[0]]: derived,
      [realmIds[1]]: derived,
      policyId: column.uuid({ nullable: true, body: reference }),
      ...timestamps,
    },
    relations: {
      [owner]: { to: kinds.owner, goesAlong: true, by: ids[0], includable: true },
      [given]: { to: kinds.given, goesAlong: true, by: ids[1], includable: true },
      [`${owner}Realm`]: { to: () => realm, goesAlong: true, by: realmIds[0], includable: true },
      [`${given}Realm`]: { to: () => realm, goesAlong: true, by: realmIds[1], includable: true },
    },
    filters: keys,
    sorts: ['createdAt', 'updatedAt'],
    indexes: [...keys, 'createdAt', 'updatedAt'].map((key) => [key]),
    realm: realmIds[0],
    access,
  })
  return { kind, owner, given }
}

function accessOf(owner: Owner): Kind['access'] {
  const writing = holding(`${owner}_update`)
  return { read: holding(`${owner}_read`), create: writing, update: writing, remove: writing }
}
