import { corePool } from '#core/database'

const LISTS = [
  'projects',
  'nodes',
  'registries',
  'master_images',
  'master_image_groups',
  'buckets',
  'messages',
]

/** Removes what an adoption took. Events stay, because they are sealed. */
export async function forgetAdoption(): Promise<void> {
  for (const list of LISTS) {
    await corePool().query(
      `delete from ${list} where id in (select id from adopted_rows where table_name = $1)`,
      [list]
    )
  }
  await corePool().query('truncate adoption_runs, adopted_tables, adopted_rows')
}
