import { eventually } from '#tests/helpers/eventually'
import { fullStoreSuite, ROOM_BYTES } from '#tests/helpers/storage/full_store_suite'
import { killedUploadSuite } from '#tests/helpers/storage/killed_upload_suite'
import { s3StoreAt, s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { isCounted, startRadosgw } from '#tests/services/servers/radosgw'

const COUNTED_WITHIN_MS = 60_000

killedUploadSuite('S3, by a Ceph Object Gateway', () => storeOfItsOwn())

fullStoreSuite('S3, by a Ceph Object Gateway with a quota', async () => {
  const { server, ...subject } = await storeOfItsOwn(ROOM_BYTES)
  return {
    ...subject,
    counted: async () => void (await eventually(() => isCounted(server), COUNTED_WITHIN_MS)),
  }
})

async function storeOfItsOwn(quotaBytes?: number) {
  const server = await startRadosgw({ quotaBytes })
  const store = s3StoreAt(server.url)
  return {
    server,
    variables: s3VariablesFor(server.url),
    store,
    async stop() {
      store.close()
      await server.stop()
    },
  }
}
