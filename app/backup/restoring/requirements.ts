import { nameOf, type DatabaseAddress } from '#backup/databases'
import { BackupRefused } from '#backup/errors'
import type { Installation } from '#backup/installation'
import type { DatabasePart, Manifest, ObjectsPart } from '#backup/manifest'
import { currentMigrations } from '#database/former_migrations'
import { inParallel } from '#kernel/in_parallel'
import { isIncluded, quoted } from '#backup/tables/table_list'
import type { BackupClient } from '#backup/backup_client'
import { bucketLocation, type Layout } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'

const AT_ONCE = 16

/** A database and its part of the backup. */
export interface Destination extends DatabaseAddress {
  readonly backup: DatabasePart
}

/** Matches the parts of a backup with the databases. Throws if surfaces share databases differently. */
export function destinationsOf({ databases }: Installation, manifest: Manifest): Destination[] {
  const [backedUp, configured] = [manifest.databases, databases].map((some) =>
    some.map(nameOf).toSorted()
  )
  if (backedUp!.join('; ') !== configured!.join('; ')) {
    throw new BackupRefused(
      `The backup has databases for ${backedUp!.join('; ')}, and this installation has them for ${configured!.join('; ')}: set SURFACES and the addresses of the databases as they were`
    )
  }
  return databases.map((database) => ({
    ...database,
    backup: manifest.databases.find((part) => nameOf(part) === nameOf(database))!,
  }))
}

/** Throws if the tables of the backup are of a version that this one does not continue. */
export function requireContinuableTables({ databases }: Pick<Manifest, 'databases'>): void {
  for (const { migrations } of databases) {
    Object.entries(migrations).forEach(([table, names]) => currentMigrations(table, names))
  }
}

/** Throws if the database has rows. */
export async function requireEmpty(client: BackupClient, database: DatabaseAddress): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r' order by relname`
  )
  for (const { name } of rows.filter((table) => isIncluded(table.name))) {
    const found = await client.query(`select 1 from ${quoted(name)} limit 1`)
    if (found.rowCount !== 0) {
      throw new BackupRefused(
        `The database of ${nameOf(database)} is not empty: table ${name} has rows. Create a new database to restore into`
      )
    }
  }
}

/** Throws if the object store has objects where the backup would restore some. */
export async function requireNoObjects(
  store: ObjectStore,
  places: ObjectsPart['places'],
  layout: Layout
): Promise<void> {
  const buckets = [...new Set(places.map(({ bucketId }) => bucketId))]
  await inParallel(buckets, AT_ONCE, async (bucketId) => {
    const { container, prefix } = bucketLocation(layout, bucketId)
    for await (const { key } of store.list(container, prefix)) {
      throw new BackupRefused(
        `The object store is not empty: ${container} contains ${key}. Configure an empty S3_BUCKET, S3_ENDPOINT or STORAGE_PATH`
      )
    }
  })
}
