import { openBackupStore } from '#backup/open_backup_store'
import { env } from '#start/env'
import { backupSuite } from '#tests/helpers/backup/backup_suite'
import { s3StoreAt, s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { startRadosgw } from '#tests/services/servers/radosgw'

backupSuite('S3, by a Ceph Object Gateway', async () => {
  const server = await startRadosgw()
  const store = s3StoreAt(server.url)
  await store.makeContainer('backups')
  store.close()
  const variables = Object.fromEntries(
    Object.entries(s3VariablesFor(server.url)).map(([name, value]) => [`BACKUP_${name}`, value])
  )
  let locations = 0
  return {
    variables,
    newPlace: () => `s3://backups/place-${++locations}`,
    open: (named) => openBackupStore(named, { ...env, ...variables }),
    stop: () => server.stop(),
  }
})
