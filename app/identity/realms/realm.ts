import type { DateTime } from 'luxon'

import { anyone, requires } from '#kernel/access'
import { body } from '#kernel/body'
import { clientName } from '#auth/client_name'
import { description, label } from '#identity/embedded/rules'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { changes } from '#records/rules'

const rules = { name: clientName, displayName: label, description }

export const createRealm = body(rules)
export const updateRealm = body(changes(rules))

export class Realm extends RecordModel {
  static override connection = 'identity'
  static override table = 'realms'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare displayName: string | null
  @column.text({ nullable: true }) declare description: string | null
  @column.boolean() declare builtIn: boolean
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
}

export const realm = defineKind(Realm, {
  name: 'realm',
  collection: '/realms',
  create: createRealm,
  update: updateRealm,
  filters: ['id', 'name', 'displayName'],
  sorts: ['name', 'createdAt', 'updatedAt'],
  indexes: [['id'], ['name'], ['displayName'], ['createdAt'], ['updatedAt']],
  realm: 'id',
  /** The fields that a login page needs without authentication. */
  openFields: ['id', 'name', 'displayName', 'description', 'builtIn'],
  access: {
    read: anyone,
    create: requires('realm_create'),
    update: requires('realm_update'),
    remove: requires('realm_delete'),
  },
})
