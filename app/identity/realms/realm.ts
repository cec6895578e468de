import { everybody, holding } from '#kernel/access'
import { description, label, name } from '#identity/embedded/rules'
import { column, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

export const realm = defineKind({
  name: 'realm',
  collection: '/realms',
  table: 'realms',
  columns: {
    id: column.uuid(),
    name: column.text({ body: name }),
    displayName: column.text({ nullable: true, body: label }),
    description: column.text({ nullable: true, body: description }),
    builtIn: column.boolean(),
    ...timestamps,
  },
  filters: ['id', 'name', 'displayName'],
  sorts: ['name', 'createdAt', 'updatedAt'],
  indexes: [['id'], ['name'], ['displayName'], ['createdAt'], ['updatedAt']],
  realm: 'id',
  /** Enough for a login page to offer the realms there are. */
  openFields: ['id', 'name', 'displayName', 'description', 'builtIn'],
  access: {
    read: everybody,
    create: holding('realm_create'),
    update: holding('realm_update'),
    remove: holding('realm_delete'),
  },
})
