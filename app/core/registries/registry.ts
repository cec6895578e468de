import vine from '@vinejs/vine'

import { hostRule } from '#core/hosts'
import { holdingCentrally } from '#kernel/access'
import { column, optional, required, timestamps } from '#records/column'
import { defineKind } from '#records/kind'
import { isMasterMember } from '#kernel/realm'

/** Registries belong to the installation: whoever names one has it called with secrets of ours. */
const manage = holdingCentrally('registry_manage')

export const registry = defineKind({
  name: 'registry',
  collection: '/registries',
  table: 'registries',
  columns: {
    id: column.uuid(),
    name: column.text({ body: required(vine.string().minLength(3).maxLength(128)) }),
    host: column.text({ body: required(hostRule()) }),
    accountName: column.text({
      nullable: true,
      body: optional(vine.string().minLength(3).maxLength(256).nullable()),
    }),
    accountSecret: column.sealed('registry account', {
      nullable: true,
      body: optional(vine.string().minLength(3).maxLength(256).nullable()),
    }),
    ...timestamps,
  },
  filters: ['id', 'name'],
  sorts: ['id', 'updatedAt', 'createdAt'],
  indexes: [['id'], ['name'], ['createdAt'], ['updatedAt']],
  access: { create: manage, update: manage, remove: manage },
  reveals: (actor) => actor.permissions.has('registry_manage') && isMasterMember(actor),
})
