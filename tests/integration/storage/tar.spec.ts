import { execFile, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { ObjectChanged, ObjectDamaged, ObjectMissing } from '#storage/objects/errors'
import { tarHeader } from '#kernel/tar_header'
import { SizeUnknown, tarStream } from '#storage/tar/tar_stream'
import type { SmallTarFile, TarEntry, TarRun } from '#storage/tar/tar_entry'
import { eventually } from '#tests/helpers/eventually'
import { failureOf } from '#tests/helpers/storage/object_store_suite'
import { randomTree, type Tree } from '#tests/helpers/storage/trees'

const run = promisify(execFile)

/** `TAR_TREES=1000` for a full run. */
const TREES = Number(process.env.TAR_TREES ?? 40)
const MIB = 1024 ** 2
const PIECE = 64 * 1024
const MODIFIED = new Date('2021-02-03T04:05:06.789Z')

test.group('Tar stream of files', (group) => {
  let folder: string

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-tar-'))
    return () => rm(folder, { recursive: true })
  })

  test('random trees read back with GNU tar, byte by byte', async ({ assert }) => {
    for (let round = 0; round < TREES; round++) {
      const tree = randomTree()
      const target = await mkdtemp(join(folder, 'tree-'))
      await unpack(tarOf(tree), target)
      const unpacked = await readTree(target)
      assert.sameMembers([...unpacked.keys()], [...tree.keys()])
      for (const [path, content] of tree) {
        assert.isTrue(unpacked.get(path)!.equals(content), path)
      }
      await rm(target, { recursive: true })
    }
  }).timeout(20 * 60_000)

  test('GNU tar lists files in the order they were given in, as root, with mode and time', async ({
    assert,
  }) => {
    const archive = await buffer(tarOf(new Map([file('b', 'two'), file('a/c', 'three')])))
    const listing = run('tar', ['--utc', '--numeric-owner', '--full-time', '-tv'])
    listing.child.stdin?.end(archive)
    assert.deepEqual((await listing).stdout.trim().split('\n').map(words), [
      ['-rw-r--r--', '0/0', '3', '2021-02-03', '04:05:06', 'b'],
      ['-rw-r--r--', '0/0', '5', '2021-02-03', '04:05:06', 'a/c'],
    ])
  })

  test('a tar of nothing is two empty blocks', async ({ assert }) => {
    assert.isTrue((await buffer(tarOf(new Map()))).equals(Buffer.alloc(1024)))
  })

  test('one plain header stands before the bytes where it is enough', async ({ assert }) => {
    const folders = `${'d'.repeat(150)}/`
    for (const path of ['a', 'x'.repeat(100), folders + 'y'.repeat(100), `a/${'z'.repeat(100)}`]) {
      assert.lengthOf(tarHeader({ path, size: 8 ** 11 - 1, modifiedAt: MODIFIED }), 512)
    }
  })

  test('a path or a size that a plain header cannot hold gets further records')
    .with([
      ['x'.repeat(101), 1],
      [`${'d'.repeat(156)}/a`, 1],
      ['ä', 1],
      ['a', 8 ** 11],
    ] as [string, number][])
    .run(async ({ assert }, [path, size]) => {
      const header = tarHeader({ path, size, modifiedAt: MODIFIED })
      assert.isAbove(header.length, 512)
      assert.equal(header.length % 512, 0)
      const listing = run('tar', ['-tv', '--quoting-style=literal'])
      listing.child.stdin?.on('error', () => {}).end(Buffer.concat([header, Buffer.alloc(1024)]))
      const { stdout } = await listing.catch((error) => error)
      assert.include(stdout, path)
      assert.include(stdout, ` ${size} `)
    })

  test('what could do harm where it is unpacked gets another name, one of its own', async ({
    assert,
  }) => {
    const bad = ['../a', '/etc/passwd', 'd/../../b', 'a/', 'c\u0007', '..', 'x/..', '/', 'a\nb']
    const tree = new Map([...bad, 'a', 'etc/passwd'].map((path) => file(path, path)))
    await unpack(tarOf(tree), folder)
    const unpacked = await readTree(folder)
    assert.sameMembers([...unpacked.values()].map(String), [...tree.values()].map(String))
    assert.equal(String(unpacked.get('a')), 'a')
    assert.equal(String(unpacked.get('etc/passwd')), 'etc/passwd')
  })

  test('an object that was changed where it is stored breaks the tar before its last bytes', async ({
    assert,
  }) => {
    const sha256 = hash('sha256', 'hello')
    const whole = [
      { ...entry('a', Buffer.from('hello')), sha256 },
      { ...entry('b', Buffer.from('hullo')), sha256 },
    ]
    const chunks: Buffer[] = []
    const tar = tarStream(Readable.from(whole)).on('data', (chunk) => chunks.push(chunk))
    assert.instanceOf(await failureOf(once(tar, 'end')), ObjectChanged)
    assert.notInclude(Buffer.concat(chunks).toString(), 'hullo')
  })

  for (const [what, broken] of Object.entries({
    'is missing': () => Promise.reject(new Error('It is missing')),
    'is too short': () => Promise.resolve(Readable.from([Buffer.alloc(4)])),
    'is too long': () => Promise.resolve(Readable.from([Buffer.alloc(6)])),
    'breaks': () => Promise.resolve(Readable.from(breaking())),
  })) {
    test(`an object that ${what} breaks the tar`, async ({ assert }) => {
      const entries = [
        entry('a', Buffer.from('hello')),
        { ...entry('b', Buffer.alloc(5)), open: broken as () => Promise<Readable> },
        entry('c', Buffer.from('hello')),
      ]
      const failure = await failureOf(buffer(tarStream(Readable.from(entries))))
      assert.instanceOf(failure, what.startsWith('is too') ? ObjectDamaged : Error)
    })
  }

  test('small files that are read at once are the same in it', async ({ assert }) => {
    for (let round = 0; round < TREES; round++) {
      const entries = [...randomTree()].map(([path, content]) => entry(path, content))
      const contents = await Promise.all(entries.map(async ({ open }) => buffer(await open())))
      const files = entries.map((one, n) => ({ ...one, size: contents[n]!.length }))
      const half = Math.floor(files.length / 2)
      const parts = [
        aRun(files.slice(0, half), contents.slice(0, half)),
        ...entries.slice(half, half + 1),
        aRun(files.slice(half + 1), contents.slice(half + 1)),
      ]
      const archive = await buffer(tarStream(Readable.from(parts)))
      assert.isTrue(archive.equals(await buffer(tarStream(Readable.from(entries)))))
    }
  })

  for (const [what, failure, content] of [
    ['is missing', ObjectMissing, new ObjectMissing({ container: 'box', key: 'b' })],
    ['has another size', ObjectDamaged, new ObjectDamaged(5, 'more')],
    ['was changed', ObjectChanged, Buffer.from('hullo')],
  ] as const) {
    test(`one of several that are read at once breaks the tar where it ${what}`, async ({
      assert,
    }) => {
      const hello = Buffer.from('hello')
      const files = ['a', 'b', 'c'].map((path) => ({
        ...entry(path, hello),
        size: hello.length,
        sha256: hash('sha256', hello),
      }))
      const chunks: Buffer[] = []
      const parts = [aRun(files, [hello, hello, hello]), aRun(files, [hello, content, hello])]
      const tar = tarStream(Readable.from(parts)).on('data', (chunk) => chunks.push(chunk))
      assert.instanceOf(await failureOf(once(tar, 'end')), failure)
      assert.notInclude(Buffer.concat(chunks).toString(), 'hullo')
    })
  }

  test('what is read at once is read before its turn, and not further than that', async ({
    assert,
  }) => {
    let read = 0
    const content = Buffer.alloc(4096)
    async function* runs() {
      const files = Array.from({ length: 256 }, (_, n) => ({
        ...entry(`${n}`, content),
        size: 4096,
      }))
      for (let n = 0; n < 20; n++) {
        yield { files, read: async () => (read++, files.map(() => content)) }
      }
    }
    let flowed = 0
    for await (const chunk of tarStream(runs())) {
      flowed += chunk.length
      await nextTurn()
      assert.isAtMost(read, Math.ceil(flowed / MIB) + 2)
      assert.isAtLeast(read, Math.min(20, Math.floor(flowed / (1.25 * MIB)) + 1))
    }
    assert.equal(read, 20)
  })

  test('what cannot be read at once before its turn does not take the process along', async ({
    assert,
  }) => {
    const away = new Error('The store is away')
    const parts = [
      { ...entry('a', Buffer.alloc(300_000)), open: async () => Readable.from(slowly(300_000)) },
      { files: [{ ...entry('b', Buffer.alloc(1)), size: 1 }], read: () => Promise.reject(away) },
    ]
    assert.strictEqual(await failureOf(buffer(tarStream(Readable.from(parts)))), away)
  })

  test('a file whose size was never recorded breaks the tar', async ({ assert }) => {
    const entries = [{ ...entry('a', Buffer.alloc(1)), size: null }]
    const failure = await failureOf(buffer(tarStream(Readable.from(entries))))
    assert.instanceOf(failure, SizeUnknown)
  })

  test('a list of files that breaks off breaks the tar', async ({ assert }) => {
    async function* entries() {
      yield entry('a', Buffer.alloc(1))
      throw new Error('The database is away')
    }
    const failure = await failureOf(buffer(tarStream(entries())))
    assert.equal(failure?.message, 'The database is away')
  })

  test('the next objects are opened while the current one flows, and not too early', async ({
    assert,
  }) => {
    const opened: string[] = []
    const large = (path: string) => {
      const content = Buffer.alloc(4 * MIB)
      return {
        ...entry(path, content),
        async open() {
          opened.push(path)
          return Readable.from(inPieces(content))
        },
      }
    }
    const stream = tarStream(Readable.from(['a', 'b', 'c'].map(large)))
    const openedBy: [number, number][] = []
    let flowed = 0
    for await (const chunk of stream) {
      flowed += chunk.length
      openedBy.push([flowed, opened.length])
      await nextTurn()
    }
    const whenSecond = openedBy.find(([, count]) => count === 2)![0]
    assert.isAbove(whenSecond, 2.5 * MIB)
    assert.isBelow(whenSecond, 4 * MIB)
    assert.deepEqual(opened, ['a', 'b', 'c'])
  })

  test('a client that stops reading keeps nothing open', async ({ assert }) => {
    const streams: Readable[] = []
    const entries = Array.from({ length: 20 }, (_, n) => ({
      ...entry(`${n}`, Buffer.alloc(100_000)),
      async open() {
        const stream = Readable.from(inPieces(Buffer.alloc(100_000)))
        streams.push(stream)
        return stream
      },
    }))
    for await (const chunk of tarStream(Readable.from(entries))) {
      if (chunk) {
        break
      }
    }
    await eventually(() => streams.every(({ destroyed }) => destroyed))
    assert.isBelow(streams.length, 12)
  })

  test('an object that breaks before its turn does not take the process along', async ({
    assert,
  }) => {
    const early = entry('b', Buffer.alloc(5))
    const { promise: broken, resolve: onBroken } = Promise.withResolvers<void>()
    async function* untilBroken() {
      yield Buffer.alloc(299_999)
      await broken
      yield Buffer.alloc(1)
    }
    const entries = [
      { ...entry('a', Buffer.alloc(300_000)), open: async () => Readable.from(untilBroken()) },
      {
        ...early,
        async open() {
          const stream = new Readable({ read() {} })
          stream.once('close', onBroken)
          setImmediate(() => stream.destroy(new Error('The connection was closed')))
          return stream
        },
      },
    ]
    const failure = await failureOf(buffer(tarStream(Readable.from(entries))))
    assert.equal(failure?.message, 'The connection was closed')
  })

  test('a large tar passes through memory and stays nowhere', async ({ assert }) => {
    const program = fileURLToPath(new URL('large_tar.ts', import.meta.url))
    const flags = ['--expose-gc', ...process.execArgv]
    const { stdout } = await run(process.execPath, [...flags, program])
    const { bytes, mostUnderWay, mostKept } = JSON.parse(stdout)
    assert.isAbove(bytes, 1000 * MIB)
    assert.isBelow(mostUnderWay, 8 * MIB)
    assert.isBelow(mostKept, 16 * MIB)
  }).timeout(120_000)
})

function file(path: string, content: string): [string, Buffer] {
  return [path, Buffer.from(content)]
}

function entry(path: string, content: Buffer | null): TarEntry {
  const size = content?.length ?? null
  const open = async () => Readable.from(content ?? [])
  return { path, size, sha256: null, modifiedAt: MODIFIED, open }
}

function aRun(files: readonly SmallTarFile[], contents: readonly (Buffer | Error)[]): TarRun {
  return { files, read: async () => contents }
}

function tarOf(tree: Tree): Readable {
  return tarStream(Readable.from([...tree].map(([path, content]) => entry(path, content))))
}

async function unpack(archive: Readable, folder: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-C', folder], { stdio: ['pipe', 'ignore', 'pipe'] })
  const output = buffer(tar.stderr)
  const [[code]] = await Promise.all([once(tar, 'exit'), pipeline(archive, tar.stdin)])
  if (code !== 0) {
    throw new Error(`tar ended with ${code}: ${await output}`)
  }
}

async function readTree(folder: string): Promise<Tree> {
  const names = await readdir(folder, { recursive: true })
  const files = await Promise.all(
    names.map(async (name): Promise<[string, Buffer][]> => {
      const path = join(folder, name)
      return (await stat(path)).isFile() ? [[name, await readFile(path)]] : []
    })
  )
  return new Map(files.flat())
}

function words(line: string): string[] {
  return line.split(/\s+/)
}

function* inPieces(content: Buffer) {
  for (let start = 0; start < content.length; start += PIECE) {
    yield content.subarray(start, start + PIECE)
  }
}

async function* slowly(size: number) {
  for (const chunk of inPieces(Buffer.alloc(size))) {
    await nextTurn()
    yield chunk
  }
}

async function* breaking() {
  yield Buffer.alloc(2)
  throw new Error('The disk is on fire')
}
