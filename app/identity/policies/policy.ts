import { holding } from '#kernel/access'
import { realm } from '#identity/realms/realm'
import { column, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

/** Conditions on permissions. The provider has none yet: interfaces that list them find an empty list. */
export const policy = defineKind({
  name: 'policy',
  collection: '/policies',
  table: 'policies',
  columns: {
    id: column.uuid(),
    name: column.text(),
    displayName: column.text({ nullable: true }),
    description: column.text({ nullable: true }),
    type: column.text(),
    builtIn: column.boolean(),
    realmId: column.uuid({ nullable: true }),
    ...timestamps,
  },
  relations: { realm: { to: () => realm, goesAlong: true, by: 'realmId', includable: true } },
  filters: ['id', 'name', 'displayName', 'realmId'],
  sorts: ['name', 'createdAt', 'updatedAt'],
  indexes: [
    ['id'],
    ['name', 'realmId'],
    ['displayName'],
    ['realmId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  realm: 'realmId',
  access: { read: holding('policy_read') },
})
