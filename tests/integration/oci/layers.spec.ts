import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'
import fc from 'fast-check'

import { digestOf } from '#oci/verified_bytes'
import { LayerEntryInvalid } from '#oci/errors'
import { layerEntries, type LayerFile } from '#oci/tar/layer_entries'
import { layerTar } from '#oci/tar/layer_tar'
import { gzipBytes } from '#oci/write_layer'
import { bytesOf, filesOf, chunksOf } from '#tests/helpers/oci/images'
import { rounds } from '#tests/helpers/rounds'

const run = promisify(execFile)
const MANY = 10_000

const name = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 120 }),
    fc.constantFrom(
      ' ',
      '-rf',
      '$(x)',
      'a\nb',
      '\t',
      '"',
      '\\',
      '🦆',
      'é',
      'e\u0301',
      '.hidden',
      '...'
    )
  )
  .map((text) => text.replaceAll(/[/\0]/g, '_'))
  .filter(
    (text) =>
      text !== '.' &&
      text !== '..' &&
      !text.startsWith('.wh.') &&
      text.isWellFormed() &&
      Buffer.byteLength(text) <= 255
  )
const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((names) => names.join('/'))
const content = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes))
const tree = fc
  .dictionary(path, content, { maxKeys: 12, noNullPrototype: true })
  .filter((files) => {
    const paths = Object.keys(files)
    return paths.every((one) => !paths.some((other) => other.startsWith(`${one}/`)))
  })

const tarOf = (files: readonly LayerFile[], root = '') =>
  bytesOf(layerTar(layerEntries(files, root)))

test.group('Layers of images', (group) => {
  let folder: string
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-layers-'))
    return () => rm(folder, { recursive: true })
  })
  group.each.timeout(120_000)

  async function unpack(tar: Buffer): Promise<string> {
    const target = await mkdtemp(join(folder, 'unpacked-'))
    await writeFile(join(folder, 'layer.tar'), tar)
    await run('tar', ['-C', target, '-xf', join(folder, 'layer.tar')])
    return target
  }

  test('GNU tar extracts all kinds of names and contents unchanged', async ({ assert }) => {
    await fc.assert(
      fc.asyncProperty(tree, async (files) => {
        const target = await unpack(await tarOf(filesOf(files), 'opt/code'))
        for (const [file, bytes] of Object.entries(files)) {
          const found = await readFile(join(target, 'opt/code', file))
          assert.isTrue(found.equals(bytes), JSON.stringify(file))
        }
      }),
      { numRuns: rounds(200) }
    )
  })

  test('the order of files and the size of chunks make no difference', async ({ assert }) => {
    await fc.assert(
      fc.asyncProperty(tree, fc.integer({ min: 1, max: 3_000 }), async (files, size) => {
        const inPieces = Object.entries(files).map(([file, bytes]) => ({
          path: file,
          size: bytes.length,
          open: () => chunksOf(bytes, size),
        }))
        const [one, two] = [await tarOf(filesOf(files)), await tarOf(inPieces.toReversed())]
        assert.equal(digestOf(one), digestOf(two))
        const packed = await bytesOf(gzipBytes(chunksOf(one, size)))
        assert.equal(digestOf(packed), digestOf(await bytesOf(gzipBytes(chunksOf(two)))))
      }),
      { numRuns: rounds(200) }
    )
  })

  test('ten thousand files make a layer', async ({ assert }) => {
    const files = filesOf(
      Object.fromEntries(
        Array.from({ length: MANY }, (_, n) => [`part ${n % 97}/sub/file-${n}.ü`, `content ${n}`])
      )
    )
    const target = await unpack(await tarOf(files, '/opt/code/'))
    const { stdout } = await run('find', [target, '-type', 'f', '-printf', '%m %T@ %s\n'], {
      maxBuffer: 16 * 1024 ** 2,
    })
    const lines = stdout.trim().split('\n')
    assert.lengthOf(lines, MANY)
    assert.isTrue(lines.every((line) => /^644 0\.0+ \d+$/.test(line)))
    const read = await readFile(join(target, 'opt/code/part 42/sub/file-42.ü'), 'utf8')
    assert.equal(read, 'content 42')
  })

  test('folders come before their content, are accessible, and belong to root', async ({
    assert,
  }) => {
    const files = [
      ...filesOf({ 'b/c/d': 'x', 'a': '' }),
      { ...filesOf({ z: '1' })[0]!, mode: 0o755 },
    ]
    await writeFile(join(folder, 'layer.tar'), await tarOf(files, 'opt'))
    const listing = await run('tar', [
      '--utc',
      '--numeric-owner',
      '-tvf',
      join(folder, 'layer.tar'),
    ])
    assert.deepEqual(
      listing.stdout
        .trim()
        .split('\n')
        .map((line) =>
          line.split(/\s+/).filter((word) => !word.startsWith('1970') && word !== '00:00')
        ),
      [
        ['drwxr-xr-x', '0/0', '0', 'opt/'],
        ['-rw-r--r--', '0/0', '0', 'opt/a'],
        ['drwxr-xr-x', '0/0', '0', 'opt/b/'],
        ['drwxr-xr-x', '0/0', '0', 'opt/b/c/'],
        ['-rw-r--r--', '0/0', '1', 'opt/b/c/d'],
        ['-rwxr-xr-x', '0/0', '1', 'opt/z'],
      ]
    )
  })

  test('an unsafe name is rejected: {bad}')
    .with(
      [
        '',
        '/',
        '..',
        '../a',
        'a/../b',
        './a',
        'a//b',
        'a/',
        'a\0b',
        '.wh.a',
        'b/.wh..wh..opq',
        '\ud800',
      ].map((bad) => ({ bad: bad.toWellFormed().replaceAll('\0', '\\0'), path: bad }))
    )
    .run(async ({ assert }, { path: bad }) => {
      assert.throws(() => layerEntries(filesOf({ [bad]: '' })), LayerEntryInvalid as never)
    })

  test('names that are too long, duplicate, or both a file and a folder are rejected', async ({
    assert,
  }) => {
    const sets = [
      filesOf({ ['x'.repeat(256)]: '' }),
      filesOf({ ['é'.repeat(128)]: '' }),
      filesOf({ ['x/'.repeat(2_100) + 'x']: '' }),
      [...filesOf({ a: '1' }), ...filesOf({ a: '2' })],
      filesOf({ 'a': '1', 'a/b': '2' }),
      filesOf({ 'a/b': '1', 'a': '2' }),
    ]
    for (const files of sets) {
      assert.throws(() => layerEntries(files), LayerEntryInvalid as never)
    }
  })

  test('compressed bytes do not depend on the platform', async ({ assert }) => {
    const packed = await bytesOf(gzipBytes(chunksOf(randomBytes(100_000))))
    assert.equal(packed.subarray(0, 10).toString('hex'), '1f8b08000000000004ff')
  })

  test('compression fails with its source, and stops if the consumer stops', async ({ assert }) => {
    const broken = async function* () {
      yield randomBytes(300_000)
      throw new Error('It broke off')
    }
    await assert.rejects(() => bytesOf(gzipBytes(broken())), 'It broke off')
    const letGo = Promise.withResolvers<void>()
    const endless = async function* () {
      try {
        for (;;) {
          yield randomBytes(300_000)
        }
      } finally {
        letGo.resolve()
      }
    }
    for await (const chunk of gzipBytes(endless())) {
      assert.isAbove(chunk.byteLength, 0)
      break
    }
    await letGo.promise
  })
})
