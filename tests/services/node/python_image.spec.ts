import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { MODULES, PYTHON_HOME } from '#node/python_image/python_files'
import { pythonRoot } from '#tests/helpers/node/python_root'
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

test.group('The image with the Python of this machine', (group) => {
  group.each.timeout(300_000)

  test('the image ends threads of compiled code without a complaint, and has the libraries of its packages', async ({
    assert,
    cleanup,
  }) => {
    const root = await pythonRoot(await temporaryFolder(cleanup))
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
