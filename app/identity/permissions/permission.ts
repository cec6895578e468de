import vine from '@vinejs/vine'

import { holding } from '#kernel/access'
import { client } from '#identity/clients/client'
import { description, label, name, ofAnyRealm, reference } from '#identity/embedded/rules'
import { realm } from '#identity/realms/realm'
import { column, onlyAtCreation, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

/** Names are unique across realms: what a permission lets somebody do is decided by its name alone. */
export const permission = defineKind({
  name: 'permission',
  collection: '/permissions',
  table: 'permissions',
  columns: {
    id: column.uuid(),
    name: column.text({ body: name }),
    displayName: column.text({ nullable: true, body: label }),
    description: column.text({ nullable: true, body: description }),
    builtIn: column.boolean(),
    clientId: column.uuid({
      nullable: true,
      body: onlyAtCreation(vine.string().uuid().nullable().optional()),
    }),
    policyId: column.uuid({ nullable: true, body: reference }),
    realmId: column.uuid({ nullable: true, body: ofAnyRealm }),
    ...timestamps,
  },
  relations: {
    realm: { to: () => realm, goesAlong: true, by: 'realmId', includable: true },
    client: { to: () => client, goesAlong: true, by: 'clientId' },
  },
  filters: ['id', 'name', 'displayName', 'clientId', 'policyId', 'realmId'],
  sorts: ['name', 'createdAt', 'updatedAt'],
  indexes: [
    ['id'],
    ['name'],
    ['displayName'],
    ['clientId'],
    ['policyId'],
    ['realmId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  realm: 'realmId',
  access: {
    read: holding('permission_read'),
    create: holding('permission_create'),
    update: holding('permission_update'),
    remove: holding('permission_delete'),
  },
})
