import { execFile } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { folderEntries } from '#image/folder_entries'
import { layerEntries } from '#oci/tar/layer_entries'
import { layerTar } from '#oci/tar/layer_tar'
import { bytesOf } from '#tests/helpers/oci/images'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const run = promisify(execFile)

test.group('A folder in a layer', () => {
  test('a folder keeps its links, belongs to root, and is the same whenever it was written', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    const long = 'x'.repeat(120)
    await mkdir(join(folder, 'in/bin'), { recursive: true })
    await writeFile(join(folder, 'in/bin/program'), 'run')
    await chmod(join(folder, 'in/bin/program'), 0o4711)
    await writeFile(join(folder, 'in/notes'), 'secret', { mode: 0o600 })
    await symlink('program', join(folder, 'in/bin/alias'))
    await symlink(long, join(folder, 'in/long'))

    const files = await folderEntries(join(folder, 'in'), 'usr', (path) => path !== 'none')
    const data = { path: 'data', isFolder: true, mode: 0o775, owner: 65_532 } as const
    const tar = await bytesOf(layerTar(layerEntries([...files, data])))
    await writeFile(join(folder, 'layer.tar'), tar)
    const { stdout } = await run('tar', ['-tvf', join(folder, 'layer.tar'), '--utc'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/))
    assert.deepEqual(
      lines.map(([mode, owner, , day, , ...names]) => [mode, owner, day, names.join(' ')]),
      [
        ['drwxrwxr-x', '65532/0', '1970-01-01', 'data/'],
        ['drwxr-xr-x', '0/0', '1970-01-01', 'usr/'],
        ['drwxr-xr-x', '0/0', '1970-01-01', 'usr/bin/'],
        ['lrwxrwxrwx', '0/0', '1970-01-01', 'usr/bin/alias -> program'],
        ['-rwxr-xr-x', '0/0', '1970-01-01', 'usr/bin/program'],
        ['lrwxrwxrwx', '0/0', '1970-01-01', `usr/long -> ${long}`],
        ['-rw-r--r--', '0/0', '1970-01-01', 'usr/notes'],
      ]
    )
  })
})
