import { createHash } from 'node:crypto'
import { lstat, mkdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { test } from '@japa/runner'

import { TarballTree } from '#worker/master_images/trees/tarball_tree'
import { unpack } from '#worker/master_images/trees/unpack'
import { pax, tar, tarball, type TarEntry } from '#tests/helpers/core/master_images/tarball'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const signal = new AbortController().signal
const BOUNDS = { entries: 50, bytes: 64 * 1024 }

type Cleanup = (callback: () => Promise<void>) => void

async function unpacked(cleanup: Cleanup, archive: Buffer, path = 'base') {
  const folder = await temporaryFolder(cleanup)
  const file = join(folder, 'archive.tar.gz')
  const into = join(folder, 'within', 'into')
  await writeFile(file, archive)
  await mkdir(into, { recursive: true })
  return {
    folder,
    into,
    files: () => unpack(TarballTree.in(file, BOUNDS), { path, into, signal }),
  }
}

const HOSTILE: Record<string, TarEntry[]> = {
  'a path that goes up': [{ name: 'base/../../../escaped', content: 'x' }],
  'a path that begins at the root': [pax({ path: '/tmp/escaped' }), { name: 'x', content: 'x' }],
  'a path with a control character': [{ name: 'base/a\u0001b', content: 'x' }],
  'a path of very many folders': [pax({ path: 'r/'.repeat(400) }), { name: 'x' }],
  'a link to the root': [{ name: 'base/link', type: '2', link: '/etc' }],
  'a link that goes up and out': [{ name: 'base/link', type: '2', link: '../../out' }],
  'a link to another image': [{ name: 'base/link', type: '2', link: '../other/file' }],
  'a link that goes down and up again': [{ name: 'base/link', type: '2', link: 'a/../../b' }],
  'a long link to the root': [pax({ linkpath: '/etc' }), { name: 'base/link', type: '2' }],
  'a second name for a file': [{ name: 'base/hard', type: '1', link: '/etc/passwd' }],
  'a device': [{ name: 'base/device', type: '3' }],
  'a queue': [{ name: 'base/fifo', type: '6' }],
  'a file in two places': [
    { name: 'base/file', content: 'one' },
    { name: 'base/file', content: 'two' },
  ],
  'a file through a link': [
    { name: 'base/inner', type: '5' },
    { name: 'base/link', type: '2', link: 'inner' },
    { name: 'base/link/file', content: 'x' },
  ],
  'a file within a file': [
    { name: 'base/file', content: 'x' },
    { name: 'base/file/inner', content: 'x' },
  ],
  'more entries than anybody has': Array.from({ length: 60 }, (_, at) => ({ name: `base/${at}` })),
  'more bytes than anybody has': [{ name: 'other/zeros', content: Buffer.alloc(70_000) }],
  'a header that says more than there is': [{ name: 'base/file', content: 'x', size: 9_000 }],
  'a header of names without an end': [
    { name: 'pax', type: 'x', content: Buffer.alloc(66_000) },
    { name: 'base/file' },
  ],
  'a header of names that is damaged': [
    { name: 'pax', type: 'x', content: '9999 path=x\n' },
    { name: 'base/file' },
  ],
}

test.group('Malicious image archives', () => {
  test('{0} is rejected, and nothing is written outside')
    .with(Object.entries(HOSTILE))
    .run(async ({ assert, cleanup }, [, entries]) => {
      const isPax = entries[0]!.type === 'x'
      const archive = isPax
        ? tarball(
            entries.map((entry, at) => (at === 0 ? { ...entry, name: 'pax' } : entry)),
            ''
          )
        : tarball(entries)
      const { files, folder } = await unpacked(cleanup, archive)

      const error: { code?: string } = await files().then(
        () => ({}),
        (thrown: object) => thrown
      )

      assert.equal(error.code, 'imageSourceRefused')
      await assert.rejects(() => lstat(join(folder, 'within', 'escaped')))
      await assert.rejects(() => lstat(join(folder, 'escaped')))
    })

  test('a truncated archive is rejected', async ({ assert, cleanup }) => {
    const whole = tar([{ name: 'x/base/file', content: 'x'.repeat(5_000) }])
    const { files } = await unpacked(cleanup, gzipSync(whole.subarray(0, 2_000)))

    await assert.rejects(files, /is truncated/)
  })

  test('other files are rejected', async ({ assert, cleanup }) => {
    const page = await unpacked(cleanup, Buffer.from('<html>Not found</html>'))
    await assert.rejects(page.files, /not a gzip archive/)

    const text = await unpacked(cleanup, gzipSync(Buffer.alloc(2_048, 'a')))
    await assert.rejects(text.files, /not a tar archive/)
  })

  test('files, folders, long names and links within the folder are unpacked', async ({
    assert,
    cleanup,
  }) => {
    const long = `base/${'n'.repeat(120)}/file`
    const { files, into } = await unpacked(
      cleanup,
      tarball([
        { name: 'base/', type: '5' },
        { name: 'base/run.sh', content: 'echo hi', mode: 0o755 },
        { name: 'base/inner/deep', content: 'deep' },
        { name: 'base/inner/link', type: '2', link: '../run.sh' },
        { name: 'other/file', content: 'not ours' },
      ])
    )

    const { files: digests, commit } = await files()
    assert.sameMembers([...digests.keys()], ['run.sh', 'inner/deep', 'inner/link'])
    assert.equal(digests.get('run.sh'), sha256Of('echo hi'))
    assert.equal(digests.get('inner/link'), sha256Of('../run.sh'))
    assert.isUndefined(commit)
    assert.equal(await readFile(join(into, 'inner', 'link'), 'utf8'), 'echo hi')
    assert.equal(await readlink(join(into, 'inner', 'link')), '../run.sh')
    assert.equal((await lstat(join(into, 'run.sh'))).mode & 0o777, 0o755)
    await assert.rejects(() => lstat(join(into, '..', 'other')))

    const named = await unpacked(
      cleanup,
      tarball([pax({ path: `r/${long}` }), { name: 'x', content: 'long' }], '')
    )
    assert.lengthOf([...(await named.files()).files], 1)
    assert.equal(await readFile(join(named.into, 'n'.repeat(120), 'file'), 'utf8'), 'long')
  })

  test('the commit of a git archive is reported', async ({ assert, cleanup }) => {
    const file = { name: 'base/Dockerfile', content: 'FROM scratch' }
    const commitOf = async (comment: string) => {
      const about = { ...pax({ comment }), type: 'g' }
      const { files } = await unpacked(cleanup, tarball([about, file]))
      const { commit } = await files()
      return commit
    }
    const commit = '0123456789abcdef0123456789abcdef01234567'
    assert.equal(await commitOf(commit), commit)
    assert.isUndefined(await commitOf('somebody made this archive'))
  })
})

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')
