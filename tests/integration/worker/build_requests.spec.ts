import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'

import { appendLayers, startImage, mountLayers, type BuiltImage } from '#oci/append_layers'
import type { ImageRepository } from '#oci/copy_blob'
import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { platformImage, type PlatformImage } from '#oci/platform_image'
import { attachmentTag, PROVENANCE, SIGNATURE } from '#oci/signing/attachment_kinds'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'
import { verifyImage } from '#oci/signing/verify_image'
import { layerEntries } from '#oci/tar/layer_entries'
import { startLayer, writeLayer, type WrittenLayer } from '#oci/write_layer'
import { eventually } from '#tests/helpers/eventually'
import { filesOf, putImage } from '#tests/helpers/oci/images'
import { RegistryServer } from '#tests/helpers/core/registry/registry_server'
import { buildFacts } from '#tests/helpers/oci/signed_images/build_facts'

const key = SigningKey.derivedFrom('a key of an application, long enough')
const BASE = 'master/python/base'

test.group('Registry requests of a build', (group) => {
  let registry: RegistryServer
  let store: ImageStore
  let base: PlatformImage
  let layer: WrittenLayer
  let repository: string

  group.each.setup(async () => {
    registry = await RegistryServer.start()
    store = await openImageStore(registry.access)
    repository = `incoming/${randomUUID()}`
    await putImage(store, BASE, { tag: 'latest' })
    base = await platformImage(store, BASE, 'latest')
    const entries = layerEntries(filesOf({ 'main.py': 'print()' }))
    layer = await writeLayer(store, repository, entries)
    return async () => {
      store.close()
      await registry.stop()
    }
  })

  const putTogether = async () => {
    const unmounted = await mountLayers(store, repository, base)
    const appended = [{ layer, createdBy: 'code' }]
    return appendLayers(store, repository, base, appended, { tag: 'latest', unmounted })
  }
  /** Without token requests. */
  const requestsOf = async (action: () => Promise<unknown>) => {
    registry.noted.length = 0
    await action()
    return registry.noted.filter(({ path }) => !path.startsWith('/service/token'))
  }
  const methods = (requests: readonly { method: string }[]) =>
    requests.map(({ method }) => method).toSorted()
  const sign = ({ stored, isNew }: BuiltImage, target: ImageRepository = { store, repository }) =>
    signImage(target, stored, buildFacts(), key, { isNew })
  const attached = (digest: string) => store.referrers(repository, digest)

  test('the requests are a mount, a lookup, the config and the manifest', async ({ assert }) => {
    const requests = await requestsOf(putTogether)
    assert.deepEqual(methods(requests), ['GET', 'POST', 'POST', 'PUT', 'PUT'])
  })

  test('the requests signs a new image without reading attachments, signature last', async ({
    assert,
  }) => {
    const image = await putTogether()
    assert.isTrue(image.isNew)
    const requests = await requestsOf(() => sign(image))
    assert.deepEqual(methods(requests), [
      ...Array.from({ length: 3 }, () => 'POST'),
      ...Array.from({ length: 3 + 2 }, () => 'PUT'),
    ])
    const tags = [PROVENANCE, SIGNATURE].map((kind) => attachmentTag(image.digest, kind))
    const last = requests.slice(-2).map(({ path }) => path)
    assert.deepEqual(
      last,
      tags.map((tag) => `/v2/${repository}/manifests/${tag}`)
    )
  })

  test('the requests look up each place of attachments for an unsigned image', async ({
    assert,
  }) => {
    await putTogether()
    const image = await putTogether()
    assert.isFalse(image.isNew)
    const requests = await requestsOf(() => sign(image))
    assert.lengthOf(
      requests.filter(({ method }) => method === 'GET'),
      3
    )
    assert.lengthOf(await attached(image.digest), 2)
  })

  test('the requests look up the listed attachments and write nothing if the build was done before', async ({
    assert,
  }) => {
    const image = await putTogether()
    await sign(image)
    const before = await attached(image.digest)
    const requests = await requestsOf(async () => sign(await putTogether()))
    assert.deepEqual(await attached(image.digest), before)
    const ofLists = requests.filter(({ path }) => path.includes('/referrers/'))
    assert.deepEqual(methods(ofLists), ['GET'])
    const remaining = requests.filter(
      ({ method, path }) => method === 'PUT' && path.includes('sha256-')
    )
    assert.isEmpty(remaining)
  })

  test('the requests resume after a build that failed at its signature', async ({ assert }) => {
    const image = await putTogether()
    const stopping = new AbortController()
    registry.interference = ({ method, path, request }) => {
      const isSignature = method === 'PUT' && path.endsWith(attachmentTag(image.digest, SIGNATURE))
      if (isSignature) {
        request.destroy()
        stopping.abort()
      }
      return isSignature
    }
    const stopped = { store: store.within(stopping.signal), repository }
    await assert.rejects(() => sign(image, stopped))
    registry.interference = undefined
    assert.lengthOf(await attached(image.digest), 1)
    await sign(await putTogether())
    assert.lengthOf(await attached(image.digest), 2)
    await verifyImage({ store, repository }, image.digest, [key.public])
  })

  test('the requests run while the layer is uploaded, and push no manifest before its parts', async ({
    assert,
  }) => {
    const arrived = Promise.withResolvers<void>()
    const door = Promise.withResolvers<void>()
    let parts = 0
    registry.interference = async ({ method, path }) => {
      if (method === 'PUT' && path.includes('/uploads/') && ++parts === 1) {
        arrived.resolve()
        await door.promise
      }
      return false
    }
    const unmounted = await mountLayers(store, repository, base)
    const entries = layerEntries(filesOf({ 'main.py': 'print(1)' }))
    const { descriptor, written } = startLayer(store, repository, entries)
    const appended = [{ layer: await descriptor, createdBy: 'code' }]
    await arrived.promise
    const image = startImage(store, repository, base, appended, {
      tag: 'latest',
      unmounted,
      layersPushed: written,
    })
    const { pushed } = image
    const isNew = await image.isNew
    const target = { store, repository }
    const signing = signImage(target, image.stored, buildFacts(), key, {
      isNew,
      imagePushed: pushed,
    })
    await eventually(() => parts === 5)
    const manifests = () =>
      registry.noted
        .filter(
          ({ method, path }) => method === 'PUT' && path.startsWith(`/v2/${repository}/manifests/`)
        )
        .map(({ path }) => path.split('/').at(-1))
    assert.isEmpty(manifests())
    door.resolve()
    await signing
    assert.deepEqual(await written, await descriptor)
    const tags = [PROVENANCE, SIGNATURE].map((kind) => attachmentTag(image.digest, kind))
    assert.deepEqual(manifests(), ['latest', ...tags])
    await verifyImage(target, image.digest, [key.public])
  })

  test('sign nothing if the push fails', async ({ assert }) => {
    const { stored } = await putTogether()
    const pushed = Promise.reject(new Error('It could not be put'))
    pushed.catch(() => {})
    const signing = signImage({ store, repository }, stored, buildFacts(), key, {
      imagePushed: pushed,
    })
    await assert.rejects(() => signing, 'It could not be put')
    assert.isEmpty(await attached(stored.digest))
  })

  test('copy all layers of a base that cannot be mounted', async ({ assert }) => {
    registry.interference = async ({ request, serve }) => {
      request.url = request.url!.replace(/\?mount=.*/, '')
      await serve()
      return true
    }
    const unmounted = await mountLayers(store, repository, base)
    assert.deepEqual(unmounted, base.manifest.layers)
    assert.equal(registry.sessions.all.size, 0)
    const { digest } = await putTogether()
    assert.equal((await platformImage(store, repository, 'latest')).stored.digest, digest)
    assert.equal(registry.sessions.all.size, 0)
  })
})
