import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'

import { test } from '@japa/runner'
import fc from 'fast-check'

import { UnsafeObjectName } from '#storage/objects/errors'
import { FsObjectStore } from '#storage/objects/fs/fs_object_store'
import { eventually } from '#tests/helpers/eventually'
import { objectPiecesSuite } from '#tests/helpers/storage/object_pieces_suite'
import { chunksOf, failureOf, objectStoreSuite } from '#tests/helpers/storage/object_store_suite'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'
import { rounds } from '#tests/helpers/rounds'

const MIB = 1024 ** 2

async function storeOfItsOwn() {
  const folder = await mkdtemp(join(tmpdir(), 'analysis-hub-objects-'))
  const again = () => new FsObjectStore(join(folder, 'objects'))
  return { store: again(), again, stop: () => rm(folder, { recursive: true }) }
}

objectStoreSuite('a folder', storeOfItsOwn)
objectPiecesSuite('a folder', storeOfItsOwn)

test.group('Objects in a folder', (group) => {
  let folder: string
  let store: FsObjectStore
  const address = { container: 'box', key: 'a' }

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-objects-'))
    store = new FsObjectStore(join(folder, 'root'))
    await store.makeContainer(address.container)
    return () => rm(folder, { recursive: true })
  })

  test('objects are not readable by others', async ({ assert }) => {
    await store.put(address, chunksOf(Buffer.alloc(1)))
    const modes = ['root', 'root/box', 'root/box/a'].map(async (path) => {
      const { mode } = await stat(join(folder, path))
      return mode & 0o777
    })
    assert.deepEqual(await Promise.all(modes), [0o700, 0o700, 0o600])
  })

  test('objects are never outside of it, whatever their names', async ({ assert }) => {
    await writeFile(join(folder, 'secret'), 'secret')
    const chunk = fc.constantFrom(
      '..',
      '.',
      '/',
      '%',
      '\\',
      '\0',
      'a',
      'secret',
      'box',
      'root',
      '~'
    )
    const name = fc.array(chunk, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(name, name, async (container, key) => {
        const failure = await failureOf(store.put({ container, key }, chunksOf(Buffer.alloc(1))))
        if (failure instanceof UnsafeObjectName) {
          return
        }
        const names = await readdir(folder, { recursive: true })
        for (const path of names) {
          assert.isFalse(relative(folder, resolve(folder, path)).startsWith('..'))
        }
        assert.sameMembers(await readdir(folder), ['root', 'secret'])
      }),
      { numRuns: rounds(300) }
    )
  })

  test('whose writer was killed do not exist, and their remains are found', async ({ assert }) => {
    const writer = spawn(
      process.execPath,
      [RUN_TYPESCRIPT, '--input-type=module', '--eval', writerOf(join(folder, 'root'))],
      { stdio: ['ignore', 'pipe', 'inherit'] }
    )
    await once(writer.stdout, 'data')
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    assert.isEmpty(await Array.fromAsync(store.list('box')))
    const [unfinished, ...others] = await Array.fromAsync(store.unfinished('box'))
    assert.isEmpty(others)
    assert.equal(unfinished?.key, 'a')
    await unfinished?.discard()
    assert.isEmpty(await readdir(join(folder, 'root', 'box')))
  })

  test('objects leave no file open', async ({ assert }) => {
    await store.put(address, chunksOf(Buffer.alloc(2 * MIB)))
    await failureOf(store.put({ ...address, key: 'b' }, failing()))
    for (const range of [undefined, { start: 0, end: 10 }, { start: 5, end: 1 * MIB }]) {
      for await (const chunk of await store.read(address, range)) {
        if (chunk) {
          break
        }
      }
      for await (const chunk of await store.read(address, range)) {
        assert.isAbove(chunk.length, 0)
      }
    }
    await eventually(() => openFilesIn(folder).length === 0)
  })

  test('that do not fit on the disk are refused as such, and leave nothing', async ({ assert }) => {
    const disk = join(folder, 'disk')
    const script = `
      import { FsObjectStore } from '#storage/objects/fs/fs_object_store'
      const store = new FsObjectStore(process.argv[1])
      await store.makeContainer('box')
      async function* bytes() { for (let n = 0; n < 64; n++) yield Buffer.alloc(1024 ** 2, 1) }
      const failure = await store.put({ container: 'box', key: 'a' }, bytes()).catch((error) => error)
      const left = await Array.fromAsync(store.unfinished('box'))
      console.log(failure.status, failure.code, left.length)
      await store.put({ container: 'box', key: 'b' }, [Buffer.alloc(1024 ** 2)])
    `
    const output = execFileSync('unshare', [
      ...['--user', '--map-root-user', '--mount', 'sh', '-c'],
      'mkdir "$1" && mount -t tmpfs -o size=8m none "$1" && shift && exec "$@"',
      ...['sh', disk, process.execPath, RUN_TYPESCRIPT, '--input-type=module'],
      ...['--eval', script, disk],
    ])
    assert.equal(String(output).trim(), '507 storage_insufficient 0')
  }).skip(!canMount(), 'this system lets nobody mount a small disk')

  test('objects of others in the same folder are not touched', async ({ assert }) => {
    await writeFile(join(folder, 'root/box/.keep'), '')
    assert.isEmpty(await Array.fromAsync(store.list('box')))
    assert.isEmpty(await Array.fromAsync(store.unfinished('box')))
    await chmod(join(folder, 'root/box/.keep'), 0o400)
    const failure = await failureOf(store.removeContainer('box'))
    assert.equal((failure as { code?: string } | undefined)?.code, 'E_CONTAINER_NOT_EMPTY')
    assert.isTrue(existsSync(join(folder, 'root/box/.keep')))
  })
})

function writerOf(root: string): string {
  return `
    import { FsObjectStore } from '#storage/objects/fs/fs_object_store'
    async function* bytes() {
      for (let n = 0; n < 8; n++) yield Buffer.alloc(1024 ** 2)
      console.log('written')
      setInterval(() => {}, 60_000)
      await new Promise(() => {})
    }
    await new FsObjectStore(${JSON.stringify(root)}).put({ container: 'box', key: 'a' }, bytes())
  `
}

function canMount(): boolean {
  try {
    const mount = 'mount -t tmpfs -o size=1m none /mnt'
    execFileSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', mount], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}

function openFilesIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(folder) ? [target] : []
    } catch {
      return []
    }
  })
}

async function* failing() {
  yield Buffer.alloc(2 * MIB)
  throw new Error('The client is gone')
}
