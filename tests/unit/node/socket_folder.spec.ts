import { existsSync } from 'node:fs'
import { mkdtemp, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { createSocketFolder } from '#node/socket_folder'

test.group('The folder of sockets', (group) => {
  let node: string
  const made: string[] = []
  const create = async () => {
    const folder = await createSocketFolder(node)
    made.push(folder)
    return folder
  }
  group.setup(async () => {
    node = await mkdtemp(join(tmpdir(), 'hub-node-'))
    return async () => {
      for (const folder of [node, ...made]) {
        await rm(folder, { recursive: true, force: true })
      }
    }
  })

  test('the folder takes away that of a killed process, with all that is in it', async ({
    assert,
  }) => {
    const former = await create()
    await writeFile(join(former, 'left'), '')
    const folder = await create()

    assert.isFalse(existsSync(former))
    assert.isTrue(existsSync(folder))
    assert.equal(await readlink(join(node, 'sockets')), folder)
  })

  test('the folder is made although a process was killed before it had its own', async ({
    assert,
  }) => {
    await rm(join(node, 'sockets'), { force: true })
    await symlink(join(node, 'never-made'), join(node, 'sockets'))

    assert.isTrue(existsSync(await create()))
  })
})
