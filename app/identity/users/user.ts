import vine from '@vinejs/vine'

import { holding, holdingAny } from '#kernel/access'
import { chosenSecret } from '#auth/chosen_secret'
import { SELF_MANAGE } from '#identity/embedded/own_permissions'
import { address, flag, label, name, shortText } from '#identity/embedded/rules'
import { realm } from '#identity/realms/realm'
import { column, onlyAtCreation, optional, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

export const user = defineKind({
  name: 'user',
  collection: '/users',
  table: 'users',
  columns: {
    id: column.uuid(),
    name: column.text({ body: name }),
    displayName: column.text({ nullable: true, body: label }),
    email: column.text({
      nullable: true,
      optIn: true,
      body: optional(vine.string().email().maxLength(320).nullable()),
    }),
    active: column.boolean({ body: flag }),
    nameLocked: column.boolean({ body: flag }),
    firstName: column.text({ nullable: true, body: shortText }),
    lastName: column.text({ nullable: true, body: shortText }),
    avatar: column.text({ nullable: true, body: address }),
    cover: column.text({ nullable: true, body: address }),
    /** Sent as it is typed, kept as a hash. */
    password: column.text({
      nullable: true,
      secret: true,
      internal: true,
      body: optional(chosenSecret(512)),
    }),
    /** Whatever began before has ended: the password was changed, or the user shut out. */
    sessionsSince: column.timestamp({ nullable: true, internal: true }),
    realmId: column.uuid({ body: onlyAtCreation(vine.string().uuid().nullable().optional()) }),
    ...timestamps,
  },
  relations: { realm: { to: () => realm, goesAlong: true, by: 'realmId', includable: true } },
  filters: ['id', 'name', 'displayName', 'active', 'realmId'],
  sorts: ['name', 'createdAt', 'updatedAt'],
  indexes: [
    ['id'],
    ['name', 'realmId'],
    ['displayName'],
    ['active'],
    ['realmId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  realm: 'realmId',
  access: {
    create: holding('user_create'),
    update: holdingAny('user_update', SELF_MANAGE),
    remove: holding('user_delete'),
  },
})
