import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { RegistryStore } from '#oci/registry/registry_store'
import { CHUNK_BYTES } from '#oci/registry/upload'
import { UploadJournal } from '#oci/uploads/upload_journal'
import { cancelAbandonedUploads } from '#worker/housekeeping/abandoned_uploads'
import { imageStores } from '#worker/images/stores'
import { eventually } from '#tests/helpers/eventually'
import { chunksOf } from '#tests/helpers/oci/images'
import { RegistryServer } from '#tests/helpers/core/registry/registry_server'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'
import { DistributionScene } from '#tests/helpers/worker/distribution_scene'
import { descendants, procFile } from '#tests/services/servers/process_table'

const UPLOADING = fileURLToPath(new URL('../../helpers/worker/uploading.ts', import.meta.url))
const MIB = 1024 ** 2
const HOUR_MS = 3_600_000
const NEVER = new AbortController().signal

const isUploader = (pid: number) => procFile(pid, 'cmdline').includes('upload_program')

test.group('Uploads of crashed workers', (group) => {
  let registry: RegistryServer
  let folder: string
  let journal: UploadJournal
  let scene: DistributionScene
  let warnings: unknown[]

  group.each.setup(async ({ context }) => {
    const cleanup = (callback: () => Promise<void>) => context.test.cleanup(callback)
    registry = await RegistryServer.start()
    folder = await temporaryFolder(cleanup)
    journal = await UploadJournal.open(folder)
    scene = await DistributionScene.set(stores())
    scene.registry(registry.access)
    warnings = []
    return async () => {
      await scene.platform.stop()
      await registry.stop()
    }
  })

  const stores = () => imageStores({ folder: '/nowhere', insecure: [], journal: journal })
  const notesLeft = () => readdir(folder)
  const takeBack = () =>
    cancelAbandonedUploads(
      {
        journal: journal,
        images: stores(),
        platform: scene.platform.client(NEVER),
        logger: { info() {}, warn: (...content: unknown[]) => void warnings.push(content) },
      },
      NEVER
    )

  const uploading = (): ChildProcess =>
    spawn(process.execPath, [RUN_TYPESCRIPT, UPLOADING], {
      env: { ...process.env, UPLOADING: JSON.stringify({ access: registry.access, folder }) },
      stdio: 'inherit',
    })

  async function kill(worker: ChildProcess): Promise<void> {
    const ended = once(worker, 'exit')
    worker.kill('SIGKILL')
    await ended
  }

  /** Makes the keepalive of all entries expire. */
  async function age(): Promise<void> {
    const then = new Date(Date.now() - HOUR_MS)
    for (const name of await notesLeft()) {
      await utimes(join(folder, name), then, then)
    }
  }

  /** Kills a worker while its third chunk is in flight; the registry still receives it. */
  async function killedWhileSending(): Promise<void> {
    const requests = Promise.withResolvers<void>()
    const door = Promise.withResolvers<void>()
    let chunks = 0
    registry.interference = async ({ method }) => {
      if (method === 'PATCH' && ++chunks === 3) {
        requests.resolve()
        await door.promise
      }
      return false
    }
    const worker = uploading()
    await requests.promise
    await kill(worker)
    door.resolve()
    await eventually(async () => {
      const [name] = await notesLeft()
      const text = await readFile(join(folder, name!), 'utf8')
      return text.includes('_state=3')
    })
  }

  test('uploads are cancelled by the next worker, even with bytes in flight', async ({
    assert,
  }) => {
    await killedWhileSending()
    const [session] = registry.sessions.all.values()
    assert.equal(session!.bytes.length, 3 * CHUNK_BYTES)
    const [name] = await notesLeft()
    const { mode } = await stat(join(folder, name!))
    assert.equal(mode & 0o777, 0o600)

    assert.equal(await takeBack(), 0, 'somebody may still be at it')
    await age()
    assert.equal(await takeBack(), 1)
    assert.equal(registry.sessions.all.size, 0)
    assert.deepEqual(await notesLeft(), [])
  }).timeout(60_000)

  test('uploads are recorded even if the worker crashes before the registry responds', async ({
    assert,
  }) => {
    const requests = Promise.withResolvers<void>()
    const door = Promise.withResolvers<void>()
    registry.interference = async ({ method, request }) => {
      if (method === 'POST' && request.headers.authorization) {
        requests.resolve()
        await door.promise
      }
      return false
    }
    const worker = uploading()
    await requests.promise
    await kill(worker)
    assert.deepEqual(await notesLeft(), [])
    door.resolve()
    await eventually(async () => (await notesLeft()).length === 1)
    assert.equal(registry.sessions.all.size, 1)
    await age()
    assert.equal(await takeBack(), 1)
    assert.equal(registry.sessions.all.size, 0)
  }).timeout(60_000)

  test('uploads stay recorded until their registry is reachable', async ({ assert }) => {
    await killedWhileSending()
    await age()
    Object.assign(registry.tokens.account, { accountSecret: 'another one' })
    assert.equal(await takeBack(), 0)
    assert.lengthOf(warnings, 1)
    assert.notInclude(JSON.stringify(warnings), '_state')
    assert.equal(await takeBack(), 0)
    assert.lengthOf(warnings, 1, 'not again at once')
    assert.lengthOf(await notesLeft(), 1)

    Object.assign(scene.platform.registries[0]!, registry.access)
    await age()
    assert.equal(await takeBack(), 1)
    assert.equal(registry.sessions.all.size, 0)
  }).timeout(60_000)

  test('uploads are cancelled with the master image account where needed', async ({ assert }) => {
    await killedWhileSending()
    await age()
    scene.platform.registries[0]!.accountSecret = 'of somebody who may not'
    scene.platform.masterAccount = () => registry.access
    assert.equal(await takeBack(), 1)
    assert.equal(registry.sessions.all.size, 0)
  }).timeout(60_000)

  test('uploads are cancelled with the account of the registry if no other may delete', async ({
    assert,
  }) => {
    const worker = { accountName: 'robot$worker', accountSecret: 'its own' }
    registry.tokens.others.push(worker)
    registry.tokens.rights = (_, account) =>
      account === worker.accountName ? ['pull', 'push'] : ['pull', 'push', 'delete']
    scene.platform.workerAccount = () => ({ host: registry.host, ...worker })
    scene.platform.masterAccount = () => ({ host: registry.host, ...worker })
    await killedWhileSending()
    await age()
    assert.equal(await takeBack(), 1)
    assert.equal(registry.sessions.all.size, 0)
    assert.isEmpty(warnings)
  }).timeout(60_000)

  test('uploads that no account may cancel are logged once and left to the registry', async ({
    assert,
  }) => {
    await killedWhileSending()
    registry.tokens.rights = () => ['pull', 'push']
    for (let round = 0; round < 3; round++) {
      await age()
      assert.equal(await takeBack(), 0)
    }
    assert.lengthOf(warnings, 1)
    assert.equal(registry.sessions.all.size, 1)
  }).timeout(60_000)

  test('uploads end with an empty request after several chunks', async ({ assert }) => {
    const closing: (string | undefined)[] = []
    registry.interference = ({ method, request }) => {
      if (method === 'PUT') {
        closing.push(request.headers['content-length'])
      }
      return false
    }
    const store = RegistryStore.open(registry.access, { journal: journal })
    for (const size of [2 * CHUNK_BYTES + 1, 2 * CHUNK_BYTES, 10]) {
      const bytes = Buffer.alloc(size, 1)
      const { digest } = await store.writeBlob('suite/a', () => chunksOf(bytes))
      assert.isTrue(await store.hasBlob('suite/a', digest))
    }
    store.close()
    assert.deepEqual(closing, ['0', '0', '10'])
  })

  test('uploads start over if the upload program crashes', async ({ assert }) => {
    const bytes = Buffer.alloc(20 * MIB, 1)
    let killed = 0
    registry.interference = ({ method }) => {
      if (method === 'PATCH' && killed === 0) {
        const programs = descendants(process.pid).filter(isUploader)
        programs.forEach((pid) => process.kill(pid, 'SIGKILL'))
        killed = programs.length
      }
      return false
    }
    const store = RegistryStore.open(registry.access, { journal: journal, firstPauseMs: 1 })
    const { digest } = await store.writeBlob('suite/a', () => chunksOf(bytes))
    assert.isAbove(killed, 0)
    assert.isTrue(await store.hasBlob('suite/a', digest))
    store.close()
  })

  test('uploads leave no journal entry when they complete', async ({ assert }) => {
    const store = RegistryStore.open(registry.access, { journal: journal })
    const bytes = Buffer.alloc(9 * MIB, 1)
    const { digest } = await store.writeBlob('suite/a', chunksOf(bytes))
    await store.writeBlob('suite/a', chunksOf(bytes.subarray(0, 10)))
    await assert.rejects(() =>
      store.writeBlob('suite/a', chunksOf(bytes), { digest: `sha256:${'0'.repeat(64)}` })
    )
    assert.isTrue(await store.mountBlob('suite/b', digest, 'suite/a'))
    assert.isFalse(await store.mountBlob('suite/b', `sha256:${'1'.repeat(64)}`, 'suite/a'))
    store.close()
    assert.deepEqual(await notesLeft(), [])
    assert.equal(registry.sessions.all.size, 0)
  })
})
