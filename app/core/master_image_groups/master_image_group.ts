import type { DateTime } from 'luxon'

import { requiresInMasterRealm } from '#kernel/access'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'

/** A group of images. Groups are synchronized with the repository, as images are. */
export class MasterImageGroup extends RecordModel {
  static override connection = 'core'
  static override table = 'master_image_groups'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text() declare path: string
  @column.text() declare virtualPath: string
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
}

export const masterImageGroup = defineKind(MasterImageGroup, {
  name: 'masterImageGroup',
  collection: '/master-image-groups',
  filters: ['id', 'name', 'path', 'virtualPath'],
  indexes: [['id'], ['name'], ['path'], ['virtualPath']],
  namesAllowedFields: false,
  access: { remove: requiresInMasterRealm('master_image_group_manage') },
})
