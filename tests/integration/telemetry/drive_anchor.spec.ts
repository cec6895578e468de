import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'

import { DriveAnchor, inFolder } from '#telemetry/trail/drive_anchor'

let folder: string
let anchor: DriveAnchor

test.group('Heads of the audit trail on a disk', (group) => {
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'heads-'))
    anchor = new DriveAnchor(
      new Disk(new FSDriver({ location: folder, visibility: 'private' })),
      inFolder(folder)
    )
    return () => rm(folder, { recursive: true })
  })

  const head = { chain: 'none', number: 3, digest: 'ab'.repeat(32), signature: Buffer.from('s') }

  test('a written head is read again, the newest of a chain', async ({ assert }) => {
    await anchor.write(head)
    await anchor.write({ ...head, number: 4 })

    assert.deepEqual(await anchor.read('none'), { ...head, number: 4 })
  })

  test('where none was written there is none', async ({ assert }) => {
    assert.isUndefined(await anchor.read('none'))
    assert.deepEqual(await anchor.chains(), [])
  })

  test('heads are read whole while they are replaced, again and again', async ({ assert }) => {
    const long = { ...head, signature: Buffer.alloc(2 ** 20, 's') }
    await anchor.write(long)
    let isOver = false
    const writing = (async () => {
      for (let number = 4; number < 40; number++) {
        await anchor.write({ ...long, number })
      }
      isOver = true
    })()
    while (!isOver) {
      const found = await anchor.read('none')
      assert.equal(found!.signature.length, long.signature.length)
    }
    await writing
    assert.equal((await anchor.read('none'))!.number, 39)
  })

  test('a partially written one of a crash is not read, and blocks nothing', async ({ assert }) => {
    await anchor.write(head)
    await writeFile(join(folder, 'audit-heads', 'none.json.new'), '{"chain":"no')
    assert.deepEqual(await anchor.read('none'), head)
    assert.deepEqual(await anchor.chains(), ['none'])
    await anchor.write({ ...head, number: 4 })
    assert.equal((await anchor.read('none'))!.number, 4)
    assert.deepEqual(await readdir(join(folder, 'audit-heads')), ['none.json'])
  })

  test('all chains are listed', async ({ assert }) => {
    await anchor.write(head)
    await anchor.write({ ...head, chain: '11111111-1111-4111-8111-111111111111' })

    assert.sameMembers(await anchor.chains(), ['none', '11111111-1111-4111-8111-111111111111'])
  })
})
