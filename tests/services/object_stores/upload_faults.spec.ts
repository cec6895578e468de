import { fullStoreSuite, ROOM_BYTES } from '#tests/helpers/full_store_suite'
import { killedUploadSuite } from '#tests/helpers/killed_upload_suite'
import { s3StoreAt, s3VariablesFor } from '#tests/helpers/s3_store'
import { startRadosgw } from '#tests/services/servers/radosgw'

/** Its record of what a user has is a little behind. */
const NOTICES_AFTER_MS = 2_000

killedUploadSuite('S3, by a Ceph Object Gateway', () => storeOfItsOwn())

fullStoreSuite('S3, by a Ceph Object Gateway with a quota', async () => ({
  ...(await storeOfItsOwn(ROOM_BYTES)),
  noticesAfterMs: NOTICES_AFTER_MS,
}))

async function storeOfItsOwn(quotaBytes?: number) {
  const server = await startRadosgw({ quotaBytes })
  const store = s3StoreAt(server.url)
  return {
    variables: s3VariablesFor(server.url),
    store,
    async stop() {
      store.close()
      await server.stop()
    },
  }
}
