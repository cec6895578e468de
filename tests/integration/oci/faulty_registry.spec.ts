import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

import { test } from '@japa/runner'

import { digestOf } from '#oci/verified_bytes'
import {
  DigestMismatch,
  ManifestInvalid,
  RegistryUnavailable,
  RegistryResponseInvalid,
  RegistryDenied,
  DeletionUnsupported,
} from '#oci/errors'
import { MAX_MANIFEST_BYTES, type ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { CHUNK_BYTES } from '#oci/registry/upload'
import { eventually } from '#tests/helpers/eventually'
import { bytesOf, chunksOf, putImage } from '#tests/helpers/oci/images'
import { failureOf } from '#tests/helpers/storage/object_store_suite'
import {
  fail,
  RegistryServer,
  send,
  type Exchange,
} from '#tests/helpers/core/registry/registry_server'

const MIB = 1024 ** 2
const SETTINGS = { attempts: 3, firstPauseMs: 5 }
const REPOSITORY = 'suite/hostile'
const MANIFEST = /\/manifests\//
const BLOB = /\/blobs\/sha256/
const SESSION = /\/blobs\/uploads\//

test.group('Faulty registries', (group) => {
  let registry: RegistryServer
  let store: ImageStore

  group.each.setup(async () => {
    registry = await RegistryServer.start()
    store = await openImageStore(registry.access, SETTINGS)
    return async () => {
      store.close()
      await registry.stop()
    }
  })
  group.each.timeout(30_000)

  /** Intercepts matching requests. Returns a counter. */
  function interfere(
    method: string,
    path: RegExp,
    action: (exchange: Exchange, times: number) => boolean | void | Promise<boolean | void>
  ): () => number {
    let times = 0
    registry.interference = async (exchange) => {
      if (exchange.method !== method || !path.test(exchange.path)) {
        return false
      }
      const isServed = await action(exchange, ++times)
      return isServed !== false
    }
    return () => times
  }

  const hasNoSession = () => registry.sessions.all.size === 0

  test('manifests that do not match their digest are rejected', async ({ assert }) => {
    const image = await putImage(store, REPOSITORY, { tag: 'latest' })
    const other = await putImage(store, REPOSITORY, { files: { a: 'b' } })
    interfere('GET', MANIFEST, ({ response }) => {
      response.setHeader('content-type', image.mediaType)
      send(response, 200, other.bytes)
    })
    const byDigest = failureOf(store.manifest(REPOSITORY, image.digest))
    assert.instanceOf(await byDigest, DigestMismatch)
    interfere('GET', MANIFEST, ({ response }) => {
      response.setHeader('content-type', image.mediaType)
      response.setHeader('docker-content-digest', image.digest)
      send(response, 200, other.bytes)
    })
    assert.instanceOf(await failureOf(store.manifest(REPOSITORY, 'latest')), DigestMismatch)
  })

  test('blobs that do not match their digest are rejected before the last chunk', async ({
    assert,
  }) => {
    const bytes = randomBytes(MIB)
    const blob = await store.writeBlob(REPOSITORY, chunksOf(bytes))
    for (const lie of [randomBytes(MIB), randomBytes(MIB + 1), Buffer.concat([bytes, bytes])]) {
      interfere('GET', BLOB, ({ response }) => send(response, 200, lie))
      let passedOn = 0
      const reading = (async () => {
        for await (const chunk of store.readBlob(REPOSITORY, blob)) {
          passedOn += chunk.byteLength
        }
      })()
      assert.instanceOf(await failureOf(reading), DigestMismatch)
      assert.isBelow(passedOn, blob.size)
    }
  })

  test('a registry that reports another digest for an upload is rejected', async ({ assert }) => {
    const says = async ({ response, serve }: Exchange) => {
      const end = response.end.bind(response)
      response.end = ((...all: []) => {
        response.setHeader('docker-content-digest', digestOf(randomBytes(1)))
        return end(...all)
      }) as typeof response.end
      await serve()
    }
    interfere('PUT', SESSION, says)
    const bytes = chunksOf(randomBytes(10))
    assert.instanceOf(await failureOf(store.writeBlob(REPOSITORY, bytes)), RegistryResponseInvalid)
    registry.interference = undefined
    const image = await putImage(store, REPOSITORY)
    interfere('PUT', MANIFEST, says)
    const putting = failureOf(store.putManifest(REPOSITORY, image, 'a'))
    assert.instanceOf(await putting, RegistryResponseInvalid)
  })

  test('a registry that stops responding is abandoned after a timeout', async ({ assert }) => {
    const image = await putImage(store, REPOSITORY, { tag: 'latest' })
    const blob = await store.writeBlob(REPOSITORY, chunksOf(randomBytes(MIB)))
    const impatient = await openImageStore(registry.access, { ...SETTINGS, idleMs: 300 })
    const silent = interfere('GET', MANIFEST, () => {})
    assert.instanceOf(
      await failureOf(impatient.manifest(REPOSITORY, 'latest')),
      RegistryUnavailable
    )
    assert.equal(silent(), 3)
    interfere('GET', MANIFEST, ({ response }) => {
      response.setHeader('content-type', image.mediaType)
      response.writeHead(200)
      response.write('{')
    })
    assert.instanceOf(
      await failureOf(impatient.manifest(REPOSITORY, 'latest')),
      RegistryUnavailable
    )
    const started = interfere('GET', BLOB, ({ response }) => {
      response.writeHead(200)
      response.flushHeaders()
    })
    assert.instanceOf(
      await failureOf(bytesOf(impatient.readBlob(REPOSITORY, blob))),
      RegistryUnavailable
    )
    assert.equal(started(), 3)
    impatient.close()
  })

  test('an endless response is stopped', async ({ assert }) => {
    const endless = ({ response }: Exchange, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(64 * 1024))) {
          // Until the socket buffer is full.
        }
      }
      response.on('drain', more)
      more()
    }
    const blob = await store.writeBlob(REPOSITORY, chunksOf(randomBytes(MIB)))
    interfere('GET', MANIFEST, (exchange) => endless(exchange))
    assert.instanceOf(
      await failureOf(store.manifest(REPOSITORY, 'latest')),
      RegistryResponseInvalid
    )
    interfere('GET', BLOB, (exchange) => endless(exchange))
    assert.instanceOf(await failureOf(bytesOf(store.readBlob(REPOSITORY, blob))), DigestMismatch)
    interfere('GET', /tags/, (exchange) => endless(exchange))
    assert.instanceOf(await failureOf(store.tags(REPOSITORY)), RegistryResponseInvalid)
    interfere('GET', /tags/, (exchange) => endless(exchange, 403))
    assert.instanceOf(await failureOf(store.tags(REPOSITORY)), RegistryDenied)
    interfere('DELETE', MANIFEST, (exchange) => endless(exchange, 418))
    const image = await putImage(store, REPOSITORY)
    const removing = failureOf(store.removeManifest(REPOSITORY, image.digest))
    assert.instanceOf(await removing, RegistryResponseInvalid)
  })

  test('manifests that are too large, of schema 1, or HTML pages are rejected', async ({
    assert,
  }) => {
    const answers = (type: string, body: string | Buffer, status = 200) =>
      interfere('GET', MANIFEST, ({ response }) => {
        response.setHeader('content-type', type)
        send(response, status, body)
      })
    const requests = () => failureOf(store.manifest(REPOSITORY, 'latest'))
    answers('application/vnd.oci.image.manifest.v1+json', Buffer.alloc(MAX_MANIFEST_BYTES + 1, ' '))
    assert.instanceOf(await requests(), RegistryResponseInvalid)
    for (const status of [200, 404]) {
      answers('text/html', '<html>Log in</html>', status)
      assert.instanceOf(await requests(), RegistryResponseInvalid)
    }
    answers(
      'application/vnd.docker.distribution.manifest.v1+prettyjws',
      JSON.stringify({ schemaVersion: 1, fsLayers: [] })
    )
    assert.instanceOf(await requests(), ManifestInvalid)
  })

  test('transient errors are retried, up to a limit', async ({ assert }) => {
    const image = await putImage(store, REPOSITORY, { tag: 'latest' })
    for (const status of [429, 500, 502, 503, 504]) {
      interfere('GET', MANIFEST, ({ response }, times) =>
        times < 3 ? fail(response, status, 'TOOMANYREQUESTS') : false
      )
      assert.deepEqual(await store.manifest(REPOSITORY, 'latest'), image)
    }
    const requests = interfere('GET', MANIFEST, ({ response }) => fail(response, 500, 'UNKNOWN'))
    const failure = await failureOf(store.manifest(REPOSITORY, 'latest'))
    assert.instanceOf(failure, RegistryUnavailable)
    assert.equal(requests(), 3)
    assert.include(failure!.message, 'GET suite/hostile/manifests/latest with 500 (UNKNOWN')
    interfere('GET', MANIFEST, ({ request }, times) => (times < 3 ? hangUp(request) : false))
    assert.deepEqual(await store.manifest(REPOSITORY, 'latest'), image)
  })

  test('a Retry-After is honoured, up to a limit', async ({ assert }) => {
    const image = await putImage(store, REPOSITORY, { tag: 'latest' })
    const times: number[] = []
    interfere('GET', MANIFEST, ({ response }, count) => {
      times.push(performance.now())
      response.setHeader('retry-after', '1')
      return count === 1 ? fail(response, 429, 'TOOMANYREQUESTS') : false
    })
    assert.deepEqual(await store.manifest(REPOSITORY, 'latest'), image)
    assert.isAbove(times[1]! - times[0]!, 950)
  })

  test('a broken download resumes', async ({ assert }) => {
    const bytes = randomBytes(3 * MIB)
    const blob = await store.writeBlob(REPOSITORY, chunksOf(bytes))
    const breaks = (ranges: (string | undefined)[], isDeaf: boolean) =>
      interfere('GET', BLOB, ({ request, response }, times) => {
        ranges.push(request.headers.range)
        if (times > 2) {
          delete request.headers[isDeaf ? 'range' : 'x']
          return false
        }
        const start = Number(/\d+/.exec(request.headers.range ?? '0')![0])
        response.writeHead(start > 0 ? 206 : 200, { 'content-range': `bytes ${start}-9/9` })
        response.write(bytes.subarray(start, start + MIB), () => hangUp(request))
      })
    for (const isDeaf of [false, true]) {
      const ranges: (string | undefined)[] = []
      breaks(ranges, isDeaf)
      assert.isTrue((await bytesOf(store.readBlob(REPOSITORY, blob))).equals(bytes))
      assert.lengthOf(ranges, 3)
      assert.isUndefined(ranges[0])
      assert.match(ranges[2]!, /^bytes=\d+-$/)
    }
    interfere('GET', BLOB, ({ request, response }, times) => {
      response.writeHead(times > 1 ? 206 : 200, { 'content-range': 'bytes 1-9/9' })
      response.write(bytes.subarray(0, MIB), () => hangUp(request))
    })
    const other = await failureOf(bytesOf(store.readBlob(REPOSITORY, blob)))
    assert.instanceOf(other, RegistryResponseInvalid)
  })

  test('a broken upload resumes if the session still exists', async ({ assert }) => {
    const bytes = randomBytes(2.5 * CHUNK_BYTES)
    const sent: number[] = []
    interfere('PATCH', SESSION, async ({ request, serve }, times) => {
      if (times === 2) {
        let length = 0
        request.on('data', (chunk: Buffer) => {
          length += chunk.length
          if (length > 3 * MIB) {
            hangUp(request)
          }
        })
      }
      sent.push(Number(request.headers['content-length']))
      await serve()
    })
    const written = await store.writeBlob(REPOSITORY, chunksOf(bytes))
    assert.equal(written.digest, digestOf(bytes))
    assert.isTrue(registry.contentOf(REPOSITORY).blobs.get(written.digest)!.equals(bytes))
    assert.lengthOf(sent, 4)
    assert.isBelow(sent[2]!, CHUNK_BYTES)
    assert.isTrue(hasNoSession())
  })

  test('expired prepared sessions are replaced: {size} bytes')
    .with([10, 9 * MIB].map((size) => ({ size })))
    .run(async ({ assert }, { size }) => {
      const bytes = randomBytes(size)
      const expected = store.prepareUploads(REPOSITORY, 1)
      await eventually(() => registry.sessions.all.size === 1)
      registry.sessions.all.clear()
      const { digest } = await store.writeBlob(REPOSITORY, () => chunksOf(bytes))
      await expected.release()
      assert.isTrue((await bytesOf(store.readBlob(REPOSITORY, { digest, size }))).equals(bytes))
      assert.isTrue(hasNoSession())
    })

  test('a lost upload starts over if the source can be reopened', async ({ assert }) => {
    const bytes = randomBytes(20 * MIB)
    const forgets = () =>
      interfere('PATCH', SESSION, ({ request }, times) => {
        if (times !== 2) {
          return false
        }
        registry.sessions.all.clear()
        hangUp(request)
      })
    forgets()
    const atOnce = failureOf(store.writeBlob(REPOSITORY, chunksOf(bytes)))
    assert.instanceOf(await atOnce, RegistryUnavailable)
    forgets()
    let started = 0
    const again = () => {
      started++
      return chunksOf(bytes)
    }
    const written = await store.writeBlob(REPOSITORY, again, { digest: digestOf(bytes) })
    assert.equal(written.size, bytes.length)
    assert.equal(started, 2)
    assert.isTrue(hasNoSession())
  })

  test('an upload starts over if bytes of a broken request arrive late', async ({ assert }) => {
    const bytes = randomBytes(20 * MIB)
    interfere('PATCH', SESSION, ({ request }, times) => {
      if (times === 1) {
        return hangUp(request)
      }
      if (times === 2) {
        const [session] = registry.sessions.all.values()
        session!.bytes = bytes.subarray(0, MIB)
      }
      return false
    })
    let started = 0
    const again = () => {
      started++
      return chunksOf(bytes)
    }
    const written = await store.writeBlob(REPOSITORY, again, { digest: digestOf(bytes) })
    assert.equal(written.size, bytes.length)
    assert.equal(started, 2)
    assert.isTrue(hasNoSession())
  })

  test('an upload with an unexpected offset is rejected and cancelled', async ({ assert }) => {
    for (const range of ['0-99', `0-${9 * MIB}`, '0--1']) {
      interfere('PATCH', SESSION, async ({ response, serve }) => {
        const end = response.end.bind(response)
        response.end = ((...all: []) => {
          response.setHeader('range', range)
          return end(...all)
        }) as typeof response.end
        await serve()
      })
      const writing = store.writeBlob(REPOSITORY, chunksOf(randomBytes(9 * MIB)))
      assert.instanceOf(await failureOf(writing), RegistryResponseInvalid)
      assert.isTrue(hasNoSession())
    }
  })

  test('after a failed final request, the blob is looked up', async ({ assert }) => {
    interfere('PUT', SESSION, async ({ request, response, serve }) => {
      response.end = (() => hangUp(request)) as never
      await serve()
    })
    const bytes = randomBytes(9 * MIB)
    const written = await store.writeBlob(REPOSITORY, chunksOf(bytes))
    assert.equal(written.digest, digestOf(bytes))
    interfere('PUT', SESSION, ({ request }) => hangUp(request))
    const failing = store.writeBlob(REPOSITORY, chunksOf(randomBytes(9 * MIB)))
    assert.instanceOf(await failureOf(failing), RegistryUnavailable)
    assert.isTrue(hasNoSession())
  })

  test('a rejected or aborted upload is cancelled', async ({ assert }) => {
    interfere('PATCH', SESSION, ({ response }) => fail(response, 413, 'SIZE_INVALID'))
    const refused = store.writeBlob(REPOSITORY, chunksOf(randomBytes(9 * MIB)))
    assert.instanceOf(await failureOf(refused), RegistryResponseInvalid)
    assert.isTrue(hasNoSession())

    const stop = new AbortController()
    interfere('PATCH', SESSION, () => stop.abort(new Error('Enough')))
    const stopped = store.within(stop.signal).writeBlob(REPOSITORY, chunksOf(randomBytes(9 * MIB)))
    assert.equal((await failureOf(stopped))?.message, 'Enough')
    assert.isTrue(hasNoSession())
  })

  test('credentials are never sent to another origin, by redirects or upload locations', async ({
    assert,
  }) => {
    const bytes = randomBytes(MIB)
    const blob = await store.writeBlob(REPOSITORY, chunksOf(bytes))
    const elsewhere = await Elsewhere.start(bytes)
    interfere('GET', BLOB, ({ response }) => {
      response.setHeader('location', elsewhere.url)
      send(response, 307)
    })
    assert.isTrue((await bytesOf(store.readBlob(REPOSITORY, blob))).equals(bytes))
    interfere('POST', SESSION, ({ response }) => {
      response.setHeader('location', `${elsewhere.url}upload`)
      send(response, 202)
    })
    await failureOf(store.writeBlob(REPOSITORY, chunksOf(randomBytes(9 * MIB))))
    assert.isAbove(elsewhere.asked.length, 2)
    assert.include(elsewhere.asked.map(({ method }) => method).join(), 'PATCH')
    for (const { headers } of elsewhere.asked) {
      assert.notProperty(headers, 'authorization')
      assert.notProperty(headers, 'cookie')
    }
    await elsewhere.stop()
  })

  test('tokens are never requested over plain HTTP elsewhere, and invalid tokens are rejected', async ({
    assert,
  }) => {
    const elsewhere = await Elsewhere.start(Buffer.from('{}'))
    for (const realm of [`${elsewhere.url}token`, 'file:///etc/passwd', 'x']) {
      const fresh = await openImageStore(registry.access, { attempts: 1 })
      interfere('GET', MANIFEST, ({ response }) => {
        response.setHeader('www-authenticate', `Bearer realm="${realm}",service="x"`)
        send(response, 401)
      })
      const failure = await failureOf(fresh.manifest(REPOSITORY, 'latest'))
      assert.instanceOf(failure, RegistryResponseInvalid)
    }
    assert.isEmpty(elsewhere.asked)
    await elsewhere.stop()

    const answers: [number, string][] = [
      [200, '<html>'],
      [200, '{"token":"a\\r\\nb: c"}'],
      [200, '{"token":{}}'],
      [200, ' '.repeat(2 * MIB)],
    ]
    for (const [status, body] of answers) {
      const fresh = await openImageStore(registry.access, { attempts: 1 })
      interfere('GET', /token/, ({ response }) => send(response, status, body))
      const failure = await failureOf(fresh.manifest(REPOSITORY, 'latest'))
      assert.instanceOf(failure, RegistryResponseInvalid)
    }
  })

  test('circular redirects, and redirects to other protocols, are not followed', async ({
    assert,
  }) => {
    const locations = [`http://${registry.host}/v2/${REPOSITORY}/manifests/x`, 'file:///etc/passwd']
    for (const location of [...locations, 'ftp://127.0.0.1/', 'http://user:word@127.0.0.1/']) {
      interfere('GET', MANIFEST, ({ response }) => {
        response.setHeader('location', location)
        send(response, 302)
      })
      assert.instanceOf(
        await failureOf(store.manifest(REPOSITORY, 'latest')),
        RegistryResponseInvalid
      )
    }
  })

  test('denied accounts are reported without their credentials', async ({ assert }) => {
    const accountSecret = 'not-the-secret'
    const other = await openImageStore({ ...registry.access, accountSecret })
    const denied = (await failureOf(other.manifest(REPOSITORY, 'latest')))!
    assert.instanceOf(denied, RegistryDenied)
    assert.notInclude(JSON.stringify(denied) + denied.stack, accountSecret)
    assert.instanceOf(
      await failureOf(store.hasBlob('nowhere/a', digestOf(randomBytes(1)))),
      RegistryDenied
    )

    registry.tokens.rights = () => ['pull']
    const blob = chunksOf(randomBytes(1))
    const pullOnly = await openImageStore(registry.access)
    assert.instanceOf(await failureOf(pullOnly.writeBlob(REPOSITORY, blob)), RegistryDenied)
  })

  test('a mount without read access is skipped, and an expired token is renewed', async ({
    assert,
  }) => {
    const { digest } = await store.writeBlob('master/base', chunksOf(randomBytes(10)))
    registry.tokens.rights = (repository) =>
      repository.startsWith('master/') ? [] : ['pull', 'push']
    const builder = await openImageStore(registry.access)
    assert.isFalse(await builder.mountBlob('incoming/a', digest, 'master/base'))
    registry.tokens.forgetAll()
    assert.isFalse(await builder.hasBlob('incoming/a', digest))
    registry.tokens.rights = () => ['pull', 'push']
    const both = await openImageStore(registry.access)
    assert.isTrue(await both.mountBlob('incoming/a', digest, 'master/base'))
    assert.isTrue(await both.hasBlob('incoming/a', digest))
  })

  test('a registry without deletion is reported', async ({ assert }) => {
    const image = await putImage(store, REPOSITORY)
    interfere('DELETE', MANIFEST, ({ response }) => fail(response, 405, 'UNSUPPORTED'))
    const removing = store.removeManifest(REPOSITORY, image.digest)
    assert.instanceOf(await failureOf(removing), DeletionUnsupported)
  })
})

/** Resets the connection. */
function hangUp({ socket }: IncomingMessage): void {
  socket.destroy()
}

/** A server at another origin that records its requests. */
class Elsewhere {
  readonly asked: IncomingMessage[] = []
  readonly #server

  private constructor(body: Buffer) {
    this.#server = createServer((request, response) => {
      this.asked.push(request)
      request.resume()
      request.on('end', () => send(response, request.method === 'GET' ? 200 : 500, body))
    })
  }

  static async start(body: Buffer): Promise<Elsewhere> {
    const elsewhere = new Elsewhere(body)
    elsewhere.#server.listen(0, '127.0.0.1')
    await once(elsewhere.#server, 'listening')
    return elsewhere
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
