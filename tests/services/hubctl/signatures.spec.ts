import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'

import { test } from '@japa/runner'

import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { masterImageName } from '#oci/signing/identity'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { putImage } from '#tests/helpers/oci/images'
import { ANALYSIS, buildFacts } from '#tests/helpers/oci/signed_images/build_facts'
import { Researcher } from '#tests/helpers/worker/researcher'
import { startDockerRegistry } from '#tests/services/servers/docker_registry'
import { Machine } from './hubctl.js'

const NOWHERE = { env: { HUBCTL_URL: 'http://127.0.0.1:9' } }
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const PEM = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
const key = SigningKey.fromPem(PEM, 'The key of the test')

test.group('Signatures with hubctl', (group) => {
  let hub: HubProcesses
  let machine: Machine
  let registry: Awaited<ReturnType<typeof startDockerRegistry>>
  let store: ImageStore
  const repository = `node-1/${ANALYSIS}`

  group.setup(async () => {
    machine = await Machine.createRecord()
    const file = machine.path('images.key')
    await writeFile(file, PEM, { mode: 0o600 })
    hub = await HubProcesses.start('server', { variables: { IMAGE_SIGNING_KEY: file } })
    registry = await startDockerRegistry()
    store = await openImageStore(registry.access)
    await machine.login(hub.origin)
    return async () => {
      store.close()
      await registry.server.stop()
      await hub.remove()
      await machine.remove()
    }
  })

  /** Whoever is logged in with docker at the registry. */
  async function docker(): Promise<{ DOCKER_CONFIG: string }> {
    const { host, accountName, accountSecret } = registry.access
    const auth = Buffer.from(`${accountName}:${accountSecret}`).toString('base64')
    await writeFile(machine.path('config.json'), JSON.stringify({ auths: { [host]: { auth } } }))
    return { DOCKER_CONFIG: machine.path('.') }
  }

  test('the key of the hub is printed for others', async ({ assert }) => {
    const shown = await machine.call(['image', 'key'])
    assert.equal(shown.code, 0, shown.stderr)
    assert.equal(shown.stdout, key.public.pem)
    assert.include(shown.stderr, key.public.fingerprint)
    const all = await machine.call(['image', 'key', '--all', '-o', 'json'])
    assert.deepEqual(JSON.parse(all.stdout), [
      { fingerprint: key.public.fingerprint, publicKey: key.public.pem, isCurrent: true },
    ])
  })

  test('an image in a registry is verified by the key of the hub, or by that of a file', async ({
    assert,
  }) => {
    const stored = await putImage(store, repository, { tag: 'latest' })
    const { digest } = stored
    await signImage({ store, repository }, stored, buildFacts(), key)
    const env = await docker()
    const image = `${registry.access.host}/${repository}:latest`
    const good = await machine.call(['image', 'verify', image], { env })
    assert.equal(good.code, 0, good.stderr)
    for (const output of [digest, key.public.fingerprint, 'opt/code/main.py', ANALYSIS]) {
      assert.include(good.stdout, output)
    }
    assert.notInclude(good.stdout + good.stderr, registry.access.accountSecret)

    const pub = machine.path('hub.pub')
    await writeFile(pub, key.public.pem)
    const offline = ['image', 'verify', image, '--key', pub, '-o', 'json']
    const pinned = await machine.call(offline, { env: { ...env, ...NOWHERE.env } })
    assert.equal(pinned.code, 0, pinned.stderr)
    assert.containSubset(JSON.parse(pinned.stdout), { digest, key: key.public.fingerprint })

    await writeFile(pub, SigningKey.derivedFrom('a key of somebody else, and long').public.pem)
    const refused = await machine.call(offline, { env })
    assert.equal(refused.code, 9)
    assert.include(refused.stderr, 'signatureInvalid')
  })

  test('an analysis is found by its name in a folder and in a registry, and is that one', async ({
    assert,
  }) => {
    const images = machine.path('builds')
    const folder = await openImageStore({ path: images })
    const researcher = await Researcher.at(hub.origin)
    const { id: projectId } = await researcher.core('POST', '/projects', { name: 'a-study' })
    const trial = { name: 'trial', projectId }
    const { id } = await researcher.core('POST', '/analyses', trial)
    await researcher.core('POST', '/registries', { name: 'plain', ...registry.access })
    for (const [at, location] of [
      [folder, ['--images', images]],
      [store, ['--registry', 'plain']],
    ] as const) {
      const verify = (name: string) => machine.call(['image', 'verify', name, ...location])
      const incoming = `incoming/${id}`
      const stored = await putImage(at, incoming, { tag: 'latest' })
      await signImage({ store: at, repository: incoming }, stored, buildFacts(), key)
      const swapped = await verify('trial')
      assert.equal(swapped.code, 9, swapped.stderr)
      assert.include(swapped.stderr, 'signatureOfAnother')
      await signImage({ store: at, repository: incoming }, stored, buildFacts({ name: id }), key)
      for (const name of ['trial', id, `${incoming}:latest`]) {
        const found = await verify(name)
        assert.equal(found.code, 0, found.stderr)
        assert.include(found.stdout, stored.digest)
      }
      assert.match((await verify('nothing')).stderr, /no analysis.*"nothing"/)
    }
  })

  test('a master image has to be signed by its own path', async ({ assert }) => {
    const images = machine.path('masters')
    const folder = await openImageStore({ path: images })
    const verify = (name: string) => machine.call(['image', 'verify', name, '--images', images])
    for (const path of ['python/base', 'python/other']) {
      const at = { store: folder, repository: masterImageName(path) }
      const image = await putImage(folder, at.repository, { tag: 'latest' })
      const facts = buildFacts({ name: masterImageName('python/base'), kind: 'masterImage' })
      await signImage(at, image, facts, key)
    }
    assert.equal((await verify('master/python/base')).code, 0)
    assert.include((await verify('master/python/other')).stderr, 'signatureOfAnother')
  })

  test('an image that is not what it should be ends with 9, and one that is not there with 5', async ({
    assert,
  }) => {
    const images = machine.path('images')
    const folder = await openImageStore({ path: images })
    const other = ANALYSIS.replace(/1$/, '2')
    const location = ['--images', images]
    const verify = (name: string) => machine.call(['image', 'verify', name, ...location])
    const image = await putImage(folder, `incoming/${other}`, { tag: 'latest' })
    assert.equal((await verify(`incoming/${other}`)).code, 9)
    await signImage({ store: folder, repository: `incoming/${other}` }, image, buildFacts(), key)
    const swapped = await verify(`incoming/${other}`)
    assert.equal(swapped.code, 9)
    assert.include(swapped.stderr, 'signatureOfAnother')
    assert.equal((await verify('incoming/nothing')).code, 5)
    const noKey = await machine.call(['image', 'verify', 'a/b', ...location, '--key', images])
    assert.equal(noKey.code, 2)
  })
})
