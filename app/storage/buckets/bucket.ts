import vine from '@vinejs/vine'

import { holding, loggedIn } from '#kernel/access'
import { shape } from '#kernel/shape'
import { column, onlyAtCreation, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

const LONGEST_NAME = 256

/** The one character that the database cannot store. */
const WITHOUT_ZERO = {
  // eslint-disable-next-line no-control-regex -- it is the character that is meant
  pattern: /^[^\u0000]*$/,
  says: 'A text must not hold the character U+0000',
}

const label = () => vine.string().minLength(3).maxLength(LONGEST_NAME).use(shape(WITHOUT_ZERO))

/**
 * What holds files. Whoever made a bucket may change and delete it without a permission, which the service looks at; what it
 * was made for is known to those who decide who reaches it, and is no part of the record.
 */
export const bucket = defineKind({
  name: 'bucket',
  collection: '/buckets',
  table: 'buckets',
  columns: {
    id: column.uuid(),
    name: column.text({ body: onlyAtCreation(label()) }),
    region: column.text({ nullable: true, body: onlyAtCreation(label().nullable().optional()) }),
    ...timestamps,
    realmId: column.uuid({
      nullable: true,
      body: onlyAtCreation(vine.string().uuid().nullable().optional()),
    }),
    actorId: column.uuid({ nullable: true }),
    actorType: column.text({ nullable: true }),
    refType: column.text({
      nullable: true,
      internal: true,
      body: onlyAtCreation(
        vine.string().minLength(1).maxLength(64).use(shape(WITHOUT_ZERO)).nullable().optional()
      ),
    }),
    refId: column.text({
      nullable: true,
      internal: true,
      body: onlyAtCreation(vine.string().uuid().nullable().optional()),
    }),
  },
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
  access: { create: holding('bucket_create'), update: loggedIn, remove: loggedIn },
  permissionFirst: true,
})

/** A bucket as it is stored. */
export interface BucketRow {
  readonly id: string
  readonly name: string
  readonly region: string | null
  readonly actorType: string | null
  readonly actorId: string | null
  readonly realmId: string | null
  readonly refType: string | null
  readonly refId: string | null
}

/** The columns of one, for statements that read it; `row` is the alias of the table. */
export const bucketColumns = (row: string): string =>
  `${row}.id, ${row}.name, ${row}.region, ${row}.actor_type as "actorType",
   ${row}.actor_id as "actorId", ${row}.realm_id as "realmId", ${row}.ref_type as "refType",
   ${row}.ref_id as "refId"`
