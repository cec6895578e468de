import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { requires, loggedIn } from '#kernel/access'
import { body } from '#kernel/body'
import { withoutZero } from '#kernel/shape'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import type { Row } from '#records/row'
import { id } from '#records/rules'

const MAX_NAME_LENGTH = 256

const label = () => vine.string().minLength(3).maxLength(MAX_NAME_LENGTH).use(withoutZero())

export const createBucket = body({
  name: label(),
  region: label().nullable().optional(),
  realmId: id().nullable().optional(),
  refType: vine.string().minLength(1).maxLength(64).use(withoutZero()).nullable().optional(),
  refId: vine.string().uuid().nullable().optional(),
})
export const updateBucket = body({})

/**
 * A container of files. Its creator may change and delete it without a permission; the service checks that. The
 * columns `refType` and `refId` decide about access and are not part of the record.
 */
export class Bucket extends RecordModel {
  static override connection = 'storage'
  static override table = 'buckets'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare region: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
  @column.uuid({ nullable: true }) declare realmId: string | null
  @column.uuid({ nullable: true }) declare actorId: string | null
  @column.text({ nullable: true }) declare actorType: string | null
  @column.text({ nullable: true, internal: true }) declare refType: string | null
  @column.text({ nullable: true, internal: true }) declare refId: string | null
}

export const bucket = defineKind(Bucket, {
  name: 'bucket',
  collection: '/buckets',
  create: createBucket,
  update: updateBucket,
  filters: ['id', 'name', 'realmId', 'actorType', 'actorId'],
  sorts: ['id', 'updatedAt', 'createdAt'],
  indexes: [
    ['id'],
    ['name'],
    ['realmId'],
    ['actorType'],
    ['actorId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  namesAllowedFields: false,
  realm: 'realmId',
  access: { create: requires('bucket_create'), update: loggedIn, remove: loggedIn },
  permissionFirst: true,
})

/** The columns of a bucket that decide about access. */
export type BucketRow = Omit<Row<typeof Bucket>, 'createdAt' | 'updatedAt'>

/** The columns of a `BucketRow`; `row` is the alias of the table. */
export const bucketColumns = (row: string): string =>
  `${row}.id, ${row}.name, ${row}.region, ${row}.actor_type as "actorType",
   ${row}.actor_id as "actorId", ${row}.realm_id as "realmId", ${row}.ref_type as "refType",
   ${row}.ref_id as "refId"`
