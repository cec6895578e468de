import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { findPython, MODULES, PYTHON_HOME, pythonFiles } from '#node/python_image/python_files'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const run = promisify(execFile)
const PROGRAM = new URL('../../fixtures/python/system_libraries.py', import.meta.url)
/** What packages of the kind manylinux expect of each system. */
const LIBRARIES = [
  ...['libgcc_s.so.1', 'libstdc++.so.6', 'libm.so.6', 'libdl.so.2', 'librt.so.1'],
  ...['libc.so.6', 'libpthread.so.0', 'libutil.so.1', 'libresolv.so.2', 'libz.so.1'],
]

await ensurePackages(PACKAGES.containers)

/** The files of the image, in a folder. */
async function unpacked(folder: string): Promise<string> {
  for (const { path, mode = 0o644, open } of await pythonFiles(await findPython('python3'))) {
    const target = join(folder, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, await open(), { mode })
  }
  return folder
}

test.group('The image with the Python of this machine', (group) => {
  group.each.timeout(300_000)

  test('ends threads of compiled code without a complaint, and has the libraries of its packages', async ({
    assert,
    cleanup,
  }) => {
    const root = await unpacked(await temporaryFolder(cleanup))
    const program = await readFile(PROGRAM, 'utf8')
    const { stdout, stderr } = await run('bwrap', [
      ...['--bind', root, '/', '--proc', '/proc', '--dev', '/dev', '--unshare-all', '--clearenv'],
      ...['--setenv', 'PYTHONHOME', `/${PYTHON_HOME}`, '--setenv', 'PYTHONPATH', `/${MODULES}`],
      ...[`/${PYTHON_HOME}/bin/python3`, '-B', '-c', program, ...LIBRARIES],
    ])
    assert.equal(stderr, '')
    assert.deepEqual(JSON.parse(stdout), LIBRARIES)
  })
})
