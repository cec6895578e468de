import vine from '@vinejs/vine'

import { holding } from '#kernel/access'
import { description, label, name, ofAnyRealm } from '#identity/embedded/rules'
import { realm } from '#identity/realms/realm'
import { column, optional, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

export const role = defineKind({
  name: 'role',
  collection: '/roles',
  table: 'roles',
  columns: {
    id: column.uuid(),
    name: column.text({ body: name }),
    displayName: column.text({ nullable: true, body: label }),
    description: column.text({ nullable: true, body: description }),
    builtIn: column.boolean(),
    target: column.text({
      nullable: true,
      body: optional(vine.string().minLength(1).maxLength(64).nullable()),
    }),
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
    read: holding('role_read'),
    create: holding('role_create'),
    update: holding('role_update'),
    remove: holding('role_delete'),
  },
})
