import { hash } from 'node:crypto'

import { test } from '@japa/runner'

import { remoteStoredCode } from '#core/analysis_bucket_files/remote_stored_code'
import { clock } from '#kernel/clock'
import { ServiceUnavailable } from '#kernel/failures'
import { findDamagedFiles } from '#storage/bucket_files/find_damaged_files'
import { aBucket, aFile } from '#tests/functional/storage/storage_scene'
import { at } from '#tests/helpers/application'
import { handingOut } from '#tests/helpers/core/handing_out'
import { identity } from '#tests/helpers/identities'

async function storedAs(text: string): Promise<string> {
  const bucket = await aBucket()
  const { id } = await aFile(bucket.id, { sha256: hash('sha256', text) })
  return id
}

const storedCodeWith = (...tokens: string[]) =>
  remoteStoredCode({ url: at('storage', ''), provider: handingOut(...tokens) })

test.group('Code that core reads from storage', () => {
  test('the code is damaged, or not, over its address as in one process', async ({ assert }) => {
    const [whole, swapped] = [await storedAs('content'), await storedAs('something else')]
    const ids = [whole, swapped, clock.uuid()]
    assert.deepEqual(await storedCodeWith(identity().token).findDamaged(ids), ids.slice(1))
    assert.deepEqual(await findDamagedFiles(ids), ids.slice(1))
  })

  test('the code is requested with another token if the first is rejected', async ({ assert }) => {
    const ids = [await storedAs('content'), await storedAs('something else')]
    assert.deepEqual(
      await storedCodeWith('refused', identity().token).findDamaged(ids),
      ids.slice(1)
    )
  })

  test('the code is unavailable if storage rejects every token', async ({ assert }) => {
    const ids = [await storedAs('content')]
    const refused = await storedCodeWith('refused', 'refused-too')
      .findDamaged(ids)
      .catch((error: unknown) => error)
    assert.instanceOf(refused, ServiceUnavailable)
  })
})
