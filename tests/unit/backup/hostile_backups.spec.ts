import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'

import { test } from '@japa/runner'

import type { BackupStore } from '#backup/backup_store'
import { BackupDamaged, BackupRefused } from '#backup/errors'
import { findManifest } from '#backup/manifest'
import { openBackupStore } from '#backup/open_backup_store'
import { pack, unpack, verify } from '#backup/pack'
import { env } from '#start/env'

const MIB = 1024 ** 2
const KEY = 'k'.repeat(64)
const NAME = 'about/manifest.json'
const DEPTH = 200_000

const HOSTILE_MANIFESTS: Readonly<Record<string, string>> = {
  'no JSON': '{',
  'null': 'null',
  'a number': '1',
  'a list': '[]',
  'an object without anything': '{}',
  'a format without a manifest': '{"format":1}',
  'a manifest that is null': '{"format":1,"manifest":null,"signature":"a"}',
  'a manifest without a key': '{"format":1,"manifest":{},"signature":"a"}',
  'a key that is null': '{"format":1,"manifest":{"key":null},"signature":"a"}',
  'a key of numbers': '{"format":1,"manifest":{"key":{"salt":1,"fingerprint":2}},"signature":3}',
  'a key of another installation':
    '{"format":1,"manifest":{"key":{"salt":"a","fingerprint":"b"}},"signature":"c"}',
  'depth': `{"format":1,"manifest":{"key":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}},"signature":"a"}`,
}

test.group('Hostile backups', (group) => {
  let folder: string
  let store: BackupStore

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-hostile-'))
    store = await openBackupStore(folder, env)
    return async () => {
      store.close()
      await rm(folder, { recursive: true })
    }
  })

  for (const [name, content] of Object.entries(HOSTILE_MANIFESTS)) {
    test(`a manifest is refused with a sentence: ${name}`, async ({ assert }) => {
      await store.put(NAME, Readable.from([Buffer.from(content)]))

      const error = await findManifest(store, KEY).catch((failure: unknown) => failure)

      assert.isTrue(error instanceof BackupDamaged || error instanceof BackupRefused, String(error))
    })
  }

  test('a manifest without an end is not read to its end', async ({ assert }) => {
    let bytes = 0
    const endless = {
      read: async () =>
        Readable.from(
          (function* () {
            for (;;) {
              bytes += MIB
              yield Buffer.alloc(MIB, ' ')
            }
          })()
        ),
    } as unknown as BackupStore

    await assert.rejects(() => findManifest(endless, KEY), /has more than \d+ bytes/)
    assert.isBelow(bytes, 300 * MIB)
  })

  test('a pipe in place of a file does not keep the reader waiting', async ({ assert }) => {
    await mkdir(join(folder, 'about'))
    execFileSync('mkfifo', [join(folder, NAME)])

    assert.isUndefined(await findManifest(store, KEY))
  })

  test('a part that decompresses to more than announced is not decompressed to its end', async ({
    assert,
  }) => {
    const { signal } = new AbortController()
    const zeros = Readable.from(
      (function* () {
        for (let n = 0; n < 64; n++) {
          yield Buffer.alloc(MIB)
        }
      })()
    )
    const content = await pack(store, 'tables/bomb', zeros, signal)
    let received = 0
    const reader = new Writable({
      write(chunk: Buffer, _encoding, done) {
        received += chunk.length
        done()
      },
    })

    await assert.rejects(
      () => unpack(store, 'tables/bomb', { ...content, bytes: MIB }, reader, signal),
      /tables\/bomb of the backup is damaged: it has more than the expected 1048576 bytes/
    )
    assert.isAtMost(received, MIB)
    await verify(store, 'tables/bomb', content, signal)
  })

  test('a part that is a pipe is damaged', async ({ assert }) => {
    await mkdir(join(folder, 'tables'))
    execFileSync('mkfifo', [join(folder, 'tables/rows')])

    await assert.rejects(
      () => verify(store, 'tables/rows', { bytes: 1, sha256: '' }, new AbortController().signal),
      /tables\/rows of the backup is damaged: it cannot be read/
    )
  })
})
