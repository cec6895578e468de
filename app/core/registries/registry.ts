import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { hostRule } from '#core/host_rule'
import { requiresInMasterRealm } from '#kernel/access'
import { body } from '#kernel/body'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { isMasterMember } from '#kernel/realm'
import { changes } from '#records/rules'

const rules = {
  name: vine.string().minLength(3).maxLength(128),
  host: hostRule(),
  accountName: vine.string().minLength(3).maxLength(256).nullable().optional(),
  accountSecret: vine.string().minLength(3).maxLength(256).nullable().optional(),
}

export const createRegistry = body(rules)
export const updateRegistry = body(changes(rules))

export class Registry extends RecordModel {
  static override connection = 'core'
  static override table = 'registries'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text() declare host: string
  @column.text({ nullable: true }) declare accountName: string | null
  @column.sealed('registry account', { nullable: true }) declare accountSecret: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
}

/** Registries belong to the installation: the platform sends its secrets to their hosts. */
const manage = requiresInMasterRealm('registry_manage')

export const registry = defineKind(Registry, {
  name: 'registry',
  collection: '/registries',
  create: createRegistry,
  update: updateRegistry,
  filters: ['id', 'name'],
  sorts: ['id', 'updatedAt', 'createdAt'],
  indexes: [['id'], ['name'], ['createdAt'], ['updatedAt']],
  access: { create: manage, update: manage, remove: manage },
  reveals: (actor) => actor.permissions.has('registry_manage') && isMasterMember(actor),
})
