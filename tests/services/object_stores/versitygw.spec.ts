import { test } from '@japa/runner'
import { Disk } from 'flydrive'
import { S3Driver } from 'flydrive/drivers/s3'

import { AUDIT_BUCKET } from '#configuration/audit_bucket'
import { s3Disk } from '#configuration/s3_disk'
import { objectStoreCheck } from '#doctor/checks/object_store'
import type { CheckContext } from '#doctor/check_context'
import { DriveAnchor, inBucket } from '#telemetry/trail/drive_anchor'
import { s3StoreAt, s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { GO_MISSING, HAS_GO } from '#tests/services/servers/go_program'
import type { RealServer } from '#tests/services/servers/real_server'
import { startVersitygw } from '#tests/services/servers/versitygw'

test.group('An S3 server without access control lists of objects', (group) => {
  let server: RealServer

  group.setup(async () => {
    if (HAS_GO) {
      server = await startVersitygw()
    }
    return () => server?.stop()
  })

  const variables = () => {
    const S3_ENDPOINT = new URL(server.url).origin
    const S3_REGION = 'us-east-1'
    return { ...s3VariablesFor(server.url), S3_ENDPOINT, S3_REGION, S3_FORCE_PATH_STYLE: true }
  }

  test('heads of the audit trail are stored, replaced and read', async ({ assert, cleanup }) => {
    const store = s3StoreAt(server.url)
    cleanup(() => store.close())
    const disk = new Disk(new S3Driver(s3Disk(variables())))
    const anchor = new DriveAnchor(
      disk,
      inBucket(disk, () => store.makeContainer(AUDIT_BUCKET))
    )
    const head = { chain: 'none', number: 3, digest: 'ab'.repeat(32), signature: Buffer.from('s') }
    await anchor.write(head)
    await anchor.write({ ...head, number: 4 })
    assert.deepEqual(await anchor.read('none'), { ...head, number: 4 })
    assert.deepEqual(await anchor.chains(), ['none'])
  }).skip(!HAS_GO, GO_MISSING)

  test('objects are stored whole and in pieces, read in parts, and removed', async ({ assert }) => {
    const surroundings = { env: variables(), surfaces: ['storage'] } as unknown as CheckContext
    assert.deepEqual(await objectStoreCheck.run(surroundings), [])
  }).skip(!HAS_GO, GO_MISSING)
})
