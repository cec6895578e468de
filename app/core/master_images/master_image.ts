import type { DateTime } from 'luxon'

import { requiresInMasterRealm } from '#kernel/access'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'

/**
 * A base image of analyses. Images are synchronized with a repository, and callers cannot create or update them. They belong
 * to the installation, since analyses of all realms use them.
 */
export class MasterImage extends RecordModel {
  static override connection = 'core'
  static override table = 'master_images'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare path: string | null
  @column.text() declare virtualPath: string
  @column.text() declare groupVirtualPath: string
  @column.text({ nullable: true }) declare command: string | null
  @column.jsonText() declare commandArguments: string
  @column.text({ nullable: true }) declare buildStatus: string | null
  @column.integer({ nullable: true }) declare buildProgress: number | null
  @column.text({ nullable: true }) declare buildHash: string | null
  @column.bigint({ nullable: true }) declare buildSize: number | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
}

export const masterImage = defineKind(MasterImage, {
  name: 'masterImage',
  collection: '/master-images',
  filters: ['id', 'name', 'path', 'virtualPath', 'groupVirtualPath'],
  defaultSort: ['path', 'ASC'],
  indexes: [['id'], ['name'], ['path'], ['virtualPath'], ['groupVirtualPath']],
  namesAllowedFields: false,
  forcible: true,
  access: { remove: requiresInMasterRealm('master_image_manage') },
})
