import { randomBytes } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { OpenDownloads } from '#storage/downloads/open_downloads'
import { storageSettings, type DownloadLimits } from '#storage/storage_settings'
import { at } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { identity, REALMS } from '#tests/helpers/identities'
import { useSettings } from '#tests/helpers/settings'
import { newBucket, uploaded, type Somebody } from './files_scene.js'

const MIB = 1_024 ** 2
const UNLIMITED = { perIdentity: 0, perRealm: 100, inAll: 100 }

const ofRealm = () => identity({ realmId: REALMS.other, realmName: 'site' })

/** A large file with limits of its own; what is not read is closed at the end of the test. */
async function scene(
  owner: Somebody,
  limits: Partial<DownloadLimits>,
  cleanup: (handler: () => Promise<void>) => void
) {
  const restore = useSettings(storageSettings, { downloads: { ...UNLIMITED, ...limits } })
  const open = new OpenDownloads()
  restore()
  app.container.swap(OpenDownloads, () => open)
  const unread: AbortController[] = []
  const close = async () => {
    unread.splice(0).forEach((one) => one.abort())
    await eventually(() => open.size === 0)
  }
  cleanup(async () => {
    await close()
    app.container.restore(OpenDownloads)
  })
  const bucketId = await newBucket(owner)
  const [file] = await uploaded(
    bucketId,
    [{ path: 'a.bin', content: randomBytes(24 * MIB) }],
    owner
  )
  const paths = {
    file: `/bucket-files/${file!.id}/stream`,
    tar: `/buckets/${bucketId}/stream`,
  }
  /** Asks and does not read the answer. */
  const ask = (caller: Somebody, path: string, headers: Record<string, string> = {}) => {
    const end = new AbortController()
    unread.push(end)
    return fetch(at('storage', path), {
      headers: { ...caller.headers, ...headers },
      signal: end.signal,
    })
  }
  return { open, close, paths, ask }
}

test.group('Open downloads', () => {
  test('downloads of one caller are limited together, whatever is downloaded', async ({
    assert,
    cleanup,
  }) => {
    const owner = ofRealm()
    const { open, close, paths, ask } = await scene(owner, { perIdentity: 3 }, cleanup)
    assert.equal((await ask(owner, paths.file)).status, 200)
    assert.equal((await ask(owner, paths.tar)).status, 200)
    assert.equal((await ask(owner, paths.file, { range: 'bytes=0-20000000' })).status, 206)
    assert.equal(open.size, 3)
    for (const path of [paths.file, paths.tar]) {
      const refused = await ask(owner, path)
      assert.equal(refused.status, 429, path)
      assert.equal(refused.headers.get('retry-after'), '5')
      assert.include(((await refused.json()) as { message: string }).message, '3 open downloads')
    }
    assert.equal((await ask(ofRealm(), paths.file)).status, 200)
    await close()
    assert.equal((await ask(owner, paths.file)).status, 200)
  })

  test('downloads of a realm, and of all, leave some to others', async ({ assert, cleanup }) => {
    const owner = ofRealm()
    const { paths, ask } = await scene(owner, { perRealm: 2, inAll: 3 }, cleanup)
    await ask(owner, paths.file)
    await ask(ofRealm(), paths.file)
    assert.equal((await ask(ofRealm(), paths.file)).status, 429)
    const master = identity()
    assert.equal((await ask(master, paths.file)).status, 200)
    const refused = await ask(master, paths.tar)
    assert.equal(refused.status, 503)
    assert.include(((await refused.json()) as { message: string }).message, 'try again shortly')
  })

  test('that were read to their end count no longer', async ({ assert, cleanup }) => {
    const owner = ofRealm()
    const { open, paths, ask } = await scene(owner, { perIdentity: 1 }, cleanup)
    for (const path of [paths.file, paths.tar, paths.file]) {
      const answer = await ask(owner, path)
      assert.equal(answer.status, 200)
      assert.isAtLeast((await answer.arrayBuffer()).byteLength, 24 * MIB)
      await eventually(() => open.size === 0)
    }
  })
})
