import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { test } from '@japa/runner'

import { scan } from '#worker/master_images/sources/scan'
import { openTree } from '#worker/master_images/sources/open_tree'
import { tarball } from '#tests/helpers/core/master_images/tarball'

const signal = new AbortController().signal
const REPOSITORY = { owner: 'us', repository: 'images', branch: 'feature/x' }
const ARCHIVE = tarball([{ name: 'base/image.json', content: '{ "command": "python3" }' }])

type Cleanup = (callback: () => Promise<void>) => void

async function serving(cleanup: Cleanup, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(async () => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.group('Remote repository archives', () => {
  test('archives are requested by the names of the repository, and the token stays with their origin', async ({
    assert,
    cleanup,
  }) => {
    const requests: [string | undefined, string | undefined][] = []
    const other = await serving(cleanup, ({ url, headers }, response) => {
      requests.push([url, headers.authorization])
      response.end(ARCHIVE)
    })
    const origin = await serving(cleanup, ({ url, headers }, response) => {
      requests.push([url, headers.authorization])
      response.writeHead(302, { location: `${other}/elsewhere` }).end()
    })
    const template = `${origin}/{owner}/{repository}/{branch}.tar.gz`
    const tree = await openTree({ template, token: 'secret' }, REPOSITORY)
    const { images } = await scan(tree, signal)

    assert.deepEqual(
      images.map(({ path }) => path),
      ['base']
    )
    assert.deepEqual(requests, [
      ['/us/images/feature/x.tar.gz', 'Bearer secret'],
      ['/elsewhere', undefined],
    ])
  })

  test('that do not exist are reported', async ({ assert, cleanup }) => {
    const template = await serving(cleanup, (_request, response) => {
      response.writeHead(404).end('no')
    })
    const tree = await openTree({ template, token: 'secret' }, REPOSITORY)
    await assert.rejects(() => scan(tree, signal), /cannot be read: it responded with status 404/)
  })

  test('that are truncated are rejected', async ({ assert, cleanup }) => {
    const template = await serving(cleanup, (_request, response) => {
      response.writeHead(200, { 'content-length': ARCHIVE.length })
      response.write(ARCHIVE.subarray(0, ARCHIVE.length - 20), () => response.destroy())
    })
    const tree = await openTree({ template }, REPOSITORY)
    await assert.rejects(() => scan(tree, signal), /cannot be read|damaged|truncated/)
  })

  test('archives are not requested for unsafe names', async ({ assert }) => {
    const at = { ...REPOSITORY, branch: '../../secrets' }
    await assert.rejects(
      () => openTree({ template: '/srv/{branch}' }, at),
      /branch is not a valid name/
    )
  })
})
