import { holding } from '#kernel/access'
import { realm } from '#identity/realms/realm'
import { column, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

/** Providers elsewhere that a realm trusts. There are none yet: interfaces that list them find an empty list. */
export const identityProvider = defineKind({
  name: 'identityProvider',
  collection: '/identity-providers',
  table: 'identity_providers',
  columns: {
    id: column.uuid(),
    name: column.text(),
    displayName: column.text({ nullable: true }),
    description: column.text({ nullable: true }),
    protocol: column.text(),
    enabled: column.boolean(),
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
  access: { read: holding('identity_provider_read') },
})
