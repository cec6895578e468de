import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'

import { test } from '@japa/runner'

import { DebianRootFailed } from '#node/errors'
import type { DebianRootOptions } from '#node/python_image/debian_root'
import { writeDebianImage } from '#node/python_image/write_python_image'
import type { BlobAddress, ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const run = promisify(execFile)
const REPOSITORY = 'master/python/debian'
const ROOT: DebianRootOptions = {
  suite: 'bookworm',
  packages: ['python3-numpy'],
  mirror: undefined,
}
const { signal } = new AbortController()

test.group('A master image from packages of Debian', (group) => {
  let folder: string
  let store: ImageStore
  group.each.setup(async (one) => {
    folder = await temporaryFolder((end) => void one.cleanup(end))
    store = await openImageStore({ path: join(folder, 'images') })
  })

  const write = (root = ROOT) =>
    writeDebianImage(
      { store, repository: REPOSITORY, tag: 'latest', onBytes: () => {} },
      root,
      signal
    )

  /** A program in place of mmdebstrap; `script` finds the tar file in `$file`. */
  async function mmdebstrap(cleanup: Cleanup, script: string) {
    const programs = join(folder, 'programs')
    await mkdir(programs)
    const file = join(programs, 'mmdebstrap')
    const heading = `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/arguments'\nfor file; do case $file in *.tar) break;; esac; done\n`
    await writeFile(file, heading + script)
    await chmod(file, 0o755)
    const { PATH } = process.env
    process.env.PATH = `${programs}:${PATH}`
    cleanup(() => void (process.env.PATH = PATH))
  }

  const bytesOf = async (blob: BlobAddress) => buffer(store.readBlob(REPOSITORY, blob))

  async function filesOf(layer: BlobAddress): Promise<string[]> {
    const file = join(folder, 'layer')
    await writeFile(file, await bytesOf(layer))
    const { stdout } = await run('tar', ['-tzf', file])
    return stdout.split('\n')
  }

  test('the image has its root and our modules, and runs its Python', async ({
    assert,
    cleanup,
  }) => {
    await mkdir(join(folder, 'root/usr/bin'), { recursive: true })
    await writeFile(join(folder, 'root/usr/bin/python3'), 'a python')
    await mmdebstrap(cleanup, `exec tar -cf "$file" -C '${folder}/root' .`)

    const manifest = await write()

    const given = (await readFile(join(folder, 'arguments'), 'utf8')).trim().split('\n')
    assert.includeMembers(given, ['--include=python3,python3-numpy', '--skip=output/dev'])
    assert.deepEqual(given.slice(-2)[0], 'bookworm')
    const { config, layers } = JSON.parse(manifest.bytes.toString()) as Manifest
    assert.include(await filesOf(layers[0]!), './usr/bin/python3')
    assert.include(await filesOf(layers[1]!), 'opt/hub-python/flamesdk/__init__.py')
    const content = JSON.parse((await bytesOf(config)).toString())
    assert.equal(content.config.Labels['analysis-hub.command'], '/usr/bin/python3')
    assert.notInclude(content.config.Env.join(), 'PYTHONHOME')
    const hashes = await Promise.all(layers.map(async (layer) => diffIdOf(await bytesOf(layer))))
    assert.deepEqual(content.rootfs.diff_ids, hashes)
    assert.isEmpty(await leftFolders())
  })

  test('the image names the package that brings mmdebstrap', async ({ assert, cleanup }) => {
    const { PATH } = process.env
    process.env.PATH = folder
    cleanup(() => void (process.env.PATH = PATH))
    await assert.rejects(() => write(), /apt-get install mmdebstrap/)
    assert.isEmpty(await leftFolders())
  })

  test('the image fails with the reason of mmdebstrap', async ({ assert, cleanup }) => {
    await mmdebstrap(cleanup, 'echo "I: starting" >&2; echo "E: no mirror answers" >&2; exit 25')
    await assert.rejects(() => write(), /could not make the Debian root: E: no mirror answers/)
    assert.isEmpty(await leftFolders())
    assert.isEmpty(await store.tags(REPOSITORY))
  })

  test('the image takes names only, so that none becomes an option', async ({
    assert,
    cleanup,
  }) => {
    await mmdebstrap(cleanup, 'exit 0')
    for (const wrong of [
      { ...ROOT, suite: '--setup-hook=reboot' },
      { ...ROOT, packages: ['python3,--setup-hook=reboot'] },
      { ...ROOT, mirror: '--setup-hook=reboot' },
    ]) {
      const error = await write(wrong).catch((reason: unknown) => reason)
      assert.instanceOf(error, DebianRootFailed)
    }
    await assert.rejects(() => readFile(join(folder, 'arguments')), /ENOENT/)
  })
})

interface Manifest {
  readonly config: BlobAddress
  readonly layers: readonly BlobAddress[]
}

type Cleanup = (end: () => void) => void

const leftFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('hub-debian-'))

const diffIdOf = (layer: Buffer) =>
  `sha256:${createHash('sha256').update(gunzipSync(layer)).digest('hex')}`
