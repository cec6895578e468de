import { loggedIn } from '#kernel/access'
import { column, timestamps } from '#records/column'
import { defineKind } from '#records/kind'
import { bucket } from '#storage/buckets/bucket'

/**
 * A file that is there as a whole; those on their way are none yet. Files come by uploads only, and whoever sent one, or made
 * its bucket, may delete it without a permission, which the service looks at.
 */
export const bucketFile = defineKind({
  name: 'bucketFile',
  collection: '/bucket-files',
  table: 'bucket_files',
  columns: {
    id: column.uuid(),
    name: column.text(),
    path: column.text(),
    directory: column.text({ nullable: true }),
    size: column.bigint({ nullable: true }),
    hash: column.text(),
    ...timestamps,
    realmId: column.uuid({ nullable: true }),
    actorType: column.text(),
    actorId: column.uuid(),
    bucketId: column.uuid(),
    layout: column.text({ internal: true }),
    sha256: column.text({ nullable: true, internal: true }),
  },
  relations: { bucket: { to: () => bucket, goesAlong: true, by: 'bucketId', includable: true } },
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
  namesAllowedFields: false,
  realm: 'realmId',
  access: { remove: loggedIn },
})
