import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { electionInFolder } from '#jobs/folder_leader_election'
import { Sweeper } from '#jobs/sweeper'
import { metrics } from '#observability/metrics'
import { openImageStore } from '#oci/open_image_store'
import { UploadJournal } from '#oci/uploads/upload_journal'
import { Attempts } from '#worker/attempts'
import { workerSweeps } from '#worker/housekeeping/sweeps'
import { imageStores } from '#worker/images/stores'
import { eventually } from '#tests/helpers/eventually'
import { chunksOf, putImage } from '#tests/helpers/oci/images'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { StandInPlatform } from '#tests/helpers/worker/stand_in_platform'

const DAY_MS = 86_400_000

test.group('Sweeps of a worker', () => {
  test('clean the folder of images, report its usage, and remove stale drafts soon', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    const images = join(folder, 'images')
    const store = await openImageStore({ path: images })
    const lost = await store.writeBlob('a', chunksOf(Buffer.from('nobody needs it')))
    const file = join(images, 'blobs', 'sha256', lost.digest.slice(7))
    const old = new Date(Date.now() - 2 * DAY_MS)
    await utimes(file, old, old)
    await putImage(store, 'kept', { tag: 'latest' })
    const minutes = new Date(Date.now() - 60_000)
    await writeFile(join(images, 'drafts', 'left'), 'half of it')
    await utimes(join(images, 'drafts', 'left'), minutes, minutes)
    await writeFile(join(images, 'drafts', 'at-work'), 'half of it')

    const lines: any[] = []
    const logger = { info: (line: unknown) => void lines.push(line), warn() {}, error() {} }
    const platform = await StandInPlatform.start()
    const journal = await UploadJournal.open(join(folder, 'uploads'))
    const sweeper = new Sweeper({
      sweeps: workerSweeps({
        folder: images,
        logger,
        journal: journal,
        attempts: await Attempts.open(join(folder, 'commands')),
        platform: platform.client(new AbortController().signal),
        images: imageStores({ folder: images, insecure: [], journal: journal }),
      }),
      leaderElection: electionInFolder(join(folder, 'turns')),
      logger,
    })
    cleanup(async () => {
      await sweeper.stop()
      await platform.stop()
    })
    sweeper.start()
    const content = await eventually(() => lines.find(({ usedBytes }) => usedBytes > 0))

    assert.equal(content.removed, 1)
    assert.isAbove(content.freeBytes, 0)
    const used = await metrics.getSingleMetric('worker_images_bytes')!.get()
    assert.equal(used.values[0]!.value, content.usedBytes)
    assert.deepEqual(await readdir(join(images, 'drafts')), ['at-work'])
    assert.isFalse(await store.hasBlob('a', lost.digest))
  })

  test('sweeps run on one of several workers that share a folder, also after a crash', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    const leading = electionInFolder(folder)
    const door = Promise.withResolvers<string>()
    const first = leading('sweep:images', () => door.promise)
    await eventually(async () => (await readdir(folder)).length === 1)
    assert.isUndefined(await leading('sweep:images', async () => 'another'))
    assert.equal(await leading('sweep:else', async () => 'something else'), 'something else')
    door.resolve('first')
    assert.equal(await first, 'first')

    const lock = join(folder, 'sweep-images.lock')
    await mkdir(lock)
    const minutes = new Date(Date.now() - 60_000)
    await utimes(lock, minutes, minutes)
    assert.equal(await leading('sweep:images', async () => 'the next'), 'the next')
  })
})
