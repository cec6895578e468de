import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'

import { DataFolder } from '#embedded/data_folder'
import { EmbeddedPostgres } from '#embedded/embedded_postgres'
import { prepareCluster } from '#embedded/startup'

/** What is lost when the machine dies is no loss to a test, and not waiting for the disk makes tests quicker. */
const SETTINGS = [
  'fsync = off',
  'full_page_writes = off',
  'synchronous_commit = off',
  // What was not written yet takes no room in copies of the folder.
  'wal_init_zero = off',
  'wal_recycle = off',
  'min_wal_size = 32MB',
  '',
]

/** An embedded PostgreSQL for one run of tests, in a folder that is new. */
export async function quickPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const folder = new DataFolder(dataDir)
  await folder.prepare()
  await prepareCluster(folder, () => {})
  await appendFile(join(folder.cluster, 'postgresql.conf'), SETTINGS.join('\n'))
  return EmbeddedPostgres.start({ dataDir })
}
