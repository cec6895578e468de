import { createServer, type IncomingMessage, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { test } from '@japa/runner'

import { guardRedirects } from '#core/registries/drivers/registry_http'
import { HostRules } from '#core/registries/host_rules'
import { digestOf } from '#oci/verified_bytes'
import { HostNotAllowed } from '#oci/errors'
import type { OutboundGuard } from '#oci/registry/connections'
import { RegistryStore } from '#oci/registry/registry_store'
import { CHUNK_BYTES } from '#oci/registry/upload'
import { UploadJournal } from '#oci/uploads/upload_journal'
import { chunksOf } from '#tests/helpers/oci/images'
import { RegistryServer, send } from '#tests/helpers/core/registry/registry_server'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const REPOSITORY = 'suite/image'
const WANTED = { digest: `sha256:${'a'.repeat(64)}`, size: 10 }

test.group('A registry that redirects to other hosts', (group) => {
  let registry: RegistryServer
  let elsewhere: Server
  let requests: IncomingMessage[]
  let text: string

  group.each.setup(async () => {
    registry = await RegistryServer.start()
    requests = []
    text = '{"errors":[{"code":"SECRET","message":"of the inner network"}]}'
    elsewhere = createServer((request, response) => {
      requests.push(request)
      response.writeHead(400, { 'content-type': 'application/json' }).end(text)
    })
    elsewhere.listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    return async () => {
      elsewhere.closeAllConnections()
      elsewhere.close()
      await registry.stop()
    }
  })

  const hostElsewhere = (name = '127.0.0.1') =>
    `${name}:${(elsewhere.address() as AddressInfo).port}`
  const rules = (listed: readonly string[] | undefined, named: readonly string[] = []) =>
    new HostRules({
      allowed: listed,
      insecure: [],
      configured: named,
      isStrict: true,
      ownPorts: [],
    })
  const opened = (guard?: OutboundGuard, journal?: UploadJournal) =>
    RegistryStore.open(registry.access, {
      attempts: 1,
      ...(guard && { guard }),
      ...(journal && { journal: journal }),
    })
  const guarded = (listed: readonly string[] | undefined, named: readonly string[] = []) =>
    guardRedirects(registry.host, rules(listed, named))
  const leadTo = (host: string) => {
    registry.interference = ({ method, path, response }) => {
      const isBlob = method === 'GET' && path.includes('/blobs/')
      if (isBlob) {
        response.setHeader('location', `http://${host}/inner?signature=of-a-store`)
        send(response, 307)
      }
      return isBlob
    }
  }
  const failureOf = async (store: RegistryStore): Promise<Error> => {
    try {
      await Array.fromAsync(store.readBlob(REPOSITORY, WANTED))
      throw new Error('It was read')
    } catch (error) {
      return error as Error
    } finally {
      store.close()
    }
  }

  test('the registry is not followed to a host that is not allowed: {name}')
    .with([
      { name: '127.0.0.1', isListing: true },
      { name: '127.0.0.1', isListing: false },
      { name: 'localhost', isListing: false },
    ])
    .run(async ({ assert }, { name, isListing }) => {
      const guard = isListing ? guarded([registry.host]) : guarded(undefined, [registry.host])
      leadTo(hostElsewhere(name))
      assert.instanceOf(await failureOf(opened(guard)), HostNotAllowed)
      assert.isEmpty(requests)
    })

  test('the registry is followed to a listed host', async ({ assert }) => {
    leadTo(hostElsewhere())
    await failureOf(opened(guarded([registry.host, hostElsewhere()])))
    assert.lengthOf(requests, 1)
  })

  test('the registry is reported with status and digest of the redirected response, never its text', async ({
    assert,
  }) => {
    leadTo(hostElsewhere())
    const { message } = await failureOf(opened())
    assert.include(message, '400')
    assert.include(message, digestOf(Buffer.from(text)))
    assert.notMatch(message, /SECRET|inner network|of-a-store/)
  })

  test('the registry receives no upload through a redirect, also by the upload program', async ({
    assert,
    cleanup,
  }) => {
    const journal = await UploadJournal.open(await temporaryFolder(cleanup))
    registry.interference = ({ method, path, response }) => {
      const isUpload = method === 'POST' && path.includes('/uploads/')
      if (isUpload) {
        response.setHeader('location', `http://${hostElsewhere()}/upload`)
        send(response, 202)
      }
      return isUpload
    }
    for (const remaining of [undefined, journal]) {
      const store = opened(guarded([registry.host]), remaining)
      const bytes = Buffer.alloc(CHUNK_BYTES + 1, 1)
      const written = store.writeBlob(REPOSITORY, chunksOf(bytes))
      const failure = await written.catch((error: unknown) => error)
      assert.instanceOf(failure, HostNotAllowed)
      store.close()
    }
    assert.isEmpty(requests)
  })

  test('the registry is reached at the address that was checked: {by}')
    .with([{ by: 'this program' }, { by: 'the one that uploads' }])
    .run(async ({ assert, cleanup }, { by }) => {
      const server = createServer((request, response) => {
        request.resume()
        response.setHeader('location', '/v2/suite/image/blobs/uploads/1')
        response.writeHead(request.method === 'POST' ? 202 : 201).end()
      })
      server.listen(0, '127.0.0.2')
      await once(server, 'listening')
      cleanup(() => {
        server.closeAllConnections()
        server.close()
      })
      const host = `localhost:${(server.address() as AddressInfo).port}`
      const guard: OutboundGuard = {
        requireAllowed() {},
        lookupFor:
          () =>
          (_, { all }, done) =>
            all ? done(null, [{ address: '127.0.0.2', family: 4 }]) : done(null, '127.0.0.2', 4),
      }
      const options = by.includes('uploads')
        ? { journal: await UploadJournal.open(await temporaryFolder(cleanup)) }
        : {}
      const store = RegistryStore.open({ host }, { guard, attempts: 1, ...options })
      const bytes = Buffer.alloc(10, 1)
      const { digest } = await store.writeBlob(REPOSITORY, () => chunksOf(bytes))
      assert.equal(digest, digestOf(bytes))
      store.close()
    })
})
