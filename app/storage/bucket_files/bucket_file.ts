import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

import { loggedIn } from '#kernel/access'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { Bucket } from '#storage/buckets/bucket'

/**
 * A complete file. Files are created by uploads only. Whoever uploaded a file or created its bucket may delete it
 * without a permission; the service checks that.
 */
export class BucketFile extends RecordModel {
  static override connection = 'storage'
  static override table = 'bucket_files'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text() declare path: string
  @column.text({ nullable: true }) declare directory: string | null
  @column.bigint({ nullable: true }) declare size: number | null
  @column.text() declare hash: string
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
  @column.uuid({ nullable: true }) declare realmId: string | null
  @column.text() declare actorType: string
  @column.uuid() declare actorId: string
  @column.uuid() declare bucketId: string
  @column.text({ internal: true }) declare layout: string
  @column.text({ nullable: true, internal: true }) declare sha256: string | null

  @belongsTo(() => Bucket, { foreignKey: 'bucketId', onDelete: 'cascade' })
  declare bucket: BelongsTo<typeof Bucket>
}

export const bucketFile = defineKind(BucketFile, {
  name: 'bucketFile',
  collection: '/bucket-files',
  filters: ['id', 'name', 'directory', 'realmId', 'actorType', 'actorId', 'bucketId'],
  sorts: ['id', 'directory', 'name', 'updatedAt', 'createdAt'],
  indexes: [
    ['id'],
    ['bucketId', 'path'],
    ['name'],
    ['directory'],
    ['realmId'],
    ['actorType'],
    ['actorId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  includable: ['bucket'],
  namesAllowedFields: false,
  realm: 'realmId',
  access: { remove: loggedIn },
})
