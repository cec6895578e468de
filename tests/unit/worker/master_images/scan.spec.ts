import { test } from '@japa/runner'

import { scan } from '#worker/master_images/sources/scan'
import { fileTree, type Files } from '#tests/helpers/core/master_images/file_tree'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const COMMAND = { command: 'python3' }

async function scanned(cleanup: (callback: () => Promise<void>) => void, files: Files) {
  const tree = await fileTree(await temporaryFolder(cleanup), files)
  return scan(tree, new AbortController().signal)
}

test.group('Images in a repository', () => {
  test('a folder with a description or a Dockerfile is an image', async ({ assert, cleanup }) => {
    const { images, groups, faults } = await scanned(cleanup, {
      'base/image.json': { command: '/bin/sh', commandArguments: ['-c'] },
      'image-group.json': COMMAND,
      'slim/Dockerfile': 'FROM scratch',
      'notes/readme.md': 'nothing',
    })

    assert.deepEqual(
      images.map(({ path, command, hasDockerfile }) => [path, command, hasDockerfile]),
      [
        ['base', '/bin/sh', false],
        ['slim', 'python3', true],
      ]
    )
    assert.deepEqual(images[0]!.commandArguments, [{ value: '-c' }])
    assert.deepEqual([...groups, ...faults], [])
  })

  test('images inherit the attributes of their groups', async ({ assert, cleanup }) => {
    const { images } = await scanned(cleanup, {
      'python/image-group.json': { ...COMMAND, commandArguments: ['-u'] },
      'python/base/image.json': {},
      'python/ml/image-group.json': { commandArguments: [{ value: '-O', position: 'after' }] },
      'python/ml/torch/image.json': { command: 'python3.12' },
    })

    assert.deepEqual(
      images.map(({ virtualPath, command, commandArguments }) => [
        virtualPath,
        command,
        commandArguments,
      ]),
      [
        ['python/base', 'python3', [{ value: '-u' }]],
        ['python/ml/torch', 'python3.12', [{ value: '-O', position: 'after' }]],
      ]
    )
  })

  test('other folders are not part of the virtual path', async ({ assert, cleanup }) => {
    const { images, groups } = await scanned(cleanup, {
      'data/python/image-group.json': COMMAND,
      'data/python/versions/base/Dockerfile': 'FROM scratch',
    })

    assert.deepInclude(images[0]!, {
      name: 'base',
      path: 'data/python/versions/base',
      virtualPath: 'python/base',
    })
    assert.deepEqual(groups, [{ name: 'python', path: 'data/python', virtualPath: 'python' }])
  })

  test('a group is named by its attribute, else by its parent', async ({ assert, cleanup }) => {
    const { groups } = await scanned(cleanup, {
      'r/image-group.json': { name: 'The R language' },
      'r/base/image-group.json': {},
      'python/image-group.json': {},
    })

    assert.deepEqual(
      groups.map(({ name, virtualPath }) => [virtualPath, name]),
      [
        ['python', 'python'],
        ['r', 'The R language'],
        ['r/base', 'r'],
      ]
    )
  })

  test('images are sorted by path, ignoring case', async ({ assert, cleanup }) => {
    const names = ['b', 'A', 'a', 'a-b', 'C']
    const { images } = await scanned(
      cleanup,
      Object.fromEntries([
        ['image-group.json', COMMAND],
        ...names.map((name) => [`${name}/image.json`, {}]),
        ['a/inner/image.json', {}],
      ])
    )

    assert.deepEqual(
      images.map(({ path }) => path),
      ['A', 'a', 'a/inner', 'a-b', 'b', 'C']
    )
  })

  test('a mistake in one image is reported, and all others are listed', async ({
    assert,
    cleanup,
  }) => {
    const { images, faults } = await scanned(cleanup, {
      'good/image.json': COMMAND,
      'broken/image.json': '{ "command": ',
      'short/image.json': { command: 'R' },
      'silent/Dockerfile': 'FROM scratch',
      'odd/image.json': { ...COMMAND, commandArguments: [{ value: 'xx', position: 'between' }] },
      'list/image.json': { ...COMMAND, commandArguments: 'xx' },
      'large/image.json': { ...COMMAND, note: 'x'.repeat(70_000) },
    })

    assert.deepEqual(
      images.map(({ path }) => path),
      ['good']
    )
    assert.deepEqual(
      Object.fromEntries(faults.map((fault) => [fault.virtualPath, fault.message])),
      {
        broken: 'broken/image.json is not a JSON object',
        large: 'large/image.json is not a file of at most 64 KiB',
        list: 'commandArguments in list/image.json is not a list',
        odd: 'the position of commandArguments[0] in odd/image.json must be before or after',
        short: 'command in short/image.json must be a text of 3 to 256 characters',
        silent: 'neither silent/image.json nor a group above it has a command',
      }
    )
  })

  test('a broken group also breaks what inherits from it', async ({ assert, cleanup }) => {
    const { images, faults } = await scanned(cleanup, {
      'r/image-group.json': { name: 7 },
      'r/base/image.json': COMMAND,
      'r/deep/image-group.json': {},
      'r/deep/more/image.json': COMMAND,
      'python/image.json': COMMAND,
    })

    assert.deepEqual(
      images.map(({ path }) => path),
      ['python']
    )
    assert.deepEqual(
      faults.map(({ kind, virtualPath, message }) => [kind, virtualPath, message]),
      [
        ['group', 'r', 'name in r/image-group.json must be a text of 1 to 128 characters'],
        ['image', 'r/base', 'name in r/image-group.json must be a text of 1 to 128 characters'],
        ['group', 'r/deep', 'name in r/image-group.json must be a text of 1 to 128 characters'],
        [
          'image',
          'r/deep/more',
          'name in r/image-group.json must be a text of 1 to 128 characters',
        ],
      ]
    )
  })

  test('the second of two images with one virtual path is reported', async ({
    assert,
    cleanup,
  }) => {
    const { images, faults } = await scanned(cleanup, {
      'here/base/image.json': COMMAND,
      'there/base/image.json': COMMAND,
    })

    assert.deepEqual(
      images.map(({ path }) => path),
      ['here/base']
    )
    assert.equal(faults[0]!.message, 'there/base and here/base have the same virtual path base')
  })

  test('the root of a repository is not an image', async ({ assert, cleanup }) => {
    const { images, groups, faults } = await scanned(cleanup, {
      'Dockerfile': 'FROM scratch',
      'base/image.json': COMMAND,
    })

    assert.deepEqual(
      images.map(({ virtualPath }) => virtualPath),
      ['base']
    )
    assert.deepEqual([...groups, ...faults], [])
  })
})
