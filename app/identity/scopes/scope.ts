import { holding } from '#kernel/access'
import { description, label, name, ofAnyRealm } from '#identity/embedded/rules'
import { realm } from '#identity/realms/realm'
import { column, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

/** What a client may ask for. Every client may ask for the built-in ones; assigning them says which it is meant to. */
export const scope = defineKind({
  name: 'scope',
  collection: '/scopes',
  table: 'scopes',
  columns: {
    id: column.uuid(),
    name: column.text({ body: name }),
    displayName: column.text({ nullable: true, body: label }),
    description: column.text({ nullable: true, body: description }),
    builtIn: column.boolean(),
    realmId: column.uuid({ nullable: true, body: ofAnyRealm }),
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
  access: {
    read: holding('scope_read'),
    create: holding('scope_create'),
    update: holding('scope_update'),
    remove: holding('scope_delete'),
  },
})
