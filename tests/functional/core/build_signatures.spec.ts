import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { BuildLocations } from '#core/build_images/build_locations'
import { BuildSignatures } from '#core/build_images/build_signatures'
import { AcceptedKeys } from '#core/image_keys/accepted_keys'
import { registryProject } from '#core/registry_projects/registry_project'
import { registry } from '#core/registries/registry'
import { coreSettings } from '#core/core_settings'
import { corePool } from '#core/database'
import { FolderStore } from '#oci/folder/folder_store'
import type { ImageStore, StoredManifest } from '#oci/image_store'
import { signingKey } from '#oci/signing/own_keys'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'
import type { Attributes } from '#records/row'
import { env } from '#start/env'
import { buildFacts } from '#tests/helpers/oci/signed_images/build_facts'
import { putImage } from '#tests/helpers/oci/images'
import { useSettings } from '#tests/helpers/settings'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, Scene, set } from './analysis_scene.js'

const INVALID = 'image_signature_invalid'
const foreign = SigningKey.derivedFrom('a key of somebody else, long enough')

test.group('The image of a build', (group) => {
  let scene: Scene
  let analysis: Attributes
  let repository: string
  let store: ImageStore
  let folder: Attributes

  group.setup(async () => {
    folder = await sampleRecord('core', registry, { host: 'local-images' })
    return async () =>
      void (await corePool().query('delete from registries where id = $1', [folder.id]))
  })
  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
    repository = `incoming/${analysis.id}`
    store = await FolderStore.open(env.IMAGES_PATH)
  })

  /** The reported build and the repository of builds. */
  async function built(buildHash: string): Promise<void> {
    await set('analyses', analysis.id, {
      configuration_locked: true,
      build_status: 'executed',
      build_hash: buildHash,
      distribution_status: null,
      registry_id: folder.id,
    })
  }

  const image = (text = 'code') =>
    putImage(store, repository, { tag: 'latest', files: { 'opt/code/main.py': text } })

  const sign = (signed: StoredManifest, by = signingKey(env), name = String(analysis.id)) =>
    signImage({ store, repository }, signed, buildFacts({ name }), by)

  /** Whether the signature blocks the distribution, according to the command and to the explanation. */
  async function isRefused(): Promise<boolean> {
    const body = { command: 'distributionStart' }
    const path = `/analyses/${analysis.id}`
    const [commanded, explained] = await Promise.all([
      call(scene.researcher(), 'POST', `${path}/command`, body),
      call(scene.researcher(), 'GET', `${path}/explain`),
    ])
    const issues: { code: string }[] = commanded.body.issues
    const { holds } = explained.body.data.conditions.find((one: any) => one.code === INVALID)
    const isUnmet = issues.some(({ code }) => code === INVALID)
    if (commanded.status !== 400 || commanded.body.code !== 'ANALYSIS_ERROR' || holds === isUnmet) {
      throw new Error(`They disagree: ${JSON.stringify([commanded, holds])}`)
    }
    return isUnmet
  }

  test('an image is distributed if this hub signed it for this analysis', async ({ assert }) => {
    const signed = await image()
    await built(signed.digest)
    await sign(signed)
    assert.isFalse(await isRefused())
  })

  test('an image is refused without a signature, with that of another key or of another analysis', async ({
    assert,
  }) => {
    const signed = await image()
    await built(signed.digest)
    assert.isTrue(await isRefused())
    await sign(signed, foreign)
    assert.isTrue(await isRefused())
    await sign(signed, undefined, '5e5f9a4e-0000-4000-8000-00000000000f')
    assert.isTrue(await isRefused())
    await sign(signed)
    assert.isFalse(await isRefused())
  })

  test('an image is refused if another image was reported', async ({ assert }) => {
    await sign(await image())
    const { digest } = await image('something else')
    await built(digest)
    assert.isTrue(await isRefused())
  })

  test('an image is valid as long as the key that signed it is accepted', async ({ assert }) => {
    const signed = await image()
    await built(signed.digest)
    await sign(signed, foreign)
    const accepted = await app.container.make(AcceptedKeys)
    await accepted.store([foreign.public])
    assert.isFalse(await isRefused())
    await accepted.remove(foreign.public.fingerprint)
    assert.isTrue(await isRefused())
  })

  test('an image of a worker with its own image store is not verified', async ({ assert }) => {
    for (const hash of [`sha256:${'1'.repeat(64)}`, 'sha256:1', 'an id', '']) {
      await built(hash)
      assert.isFalse(await isRefused(), hash)
    }
  })

  test('an image is verified at its distribution if a registry is slow, unreachable or broken', async ({
    assert,
    cleanup,
  }) => {
    const hash = `sha256:${'1'.repeat(64)}`
    const answers: RequestListener[] = [
      () => {},
      (_, response) => void response.writeHead(500).end(),
      (_, response) => void response.writeHead(401).end(),
      (_, response) => void response.end('<html>'),
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      (_, response) => void response.socket!.destroy(),
      (_, response) => void response.writeHead(404).end(),
    ]
    const warnings: object[] = []
    const accepted = await app.container.make(AcceptedKeys)
    cleanup(useSettings(coreSettings, { signatureTimeoutMs: 200 }))
    const logger = new Logger({
      enabled: true,
      level: 'warn',
      destination: { write: (line) => void warnings.push(JSON.parse(line)) },
    })
    const signatures = new BuildSignatures(new BuildLocations(corePool()), accepted, logger)
    for (const answer of answers) {
      const server = createServer(answer).listen(0, '127.0.0.1')
      await once(server, 'listening')
      cleanup(() => {
        server.closeAllConnections()
        server.close()
      })
      const { port } = server.address() as AddressInfo
      const { id: registryId } = await sampleRecord('core', registry, {
        host: `127.0.0.1:${port}`,
      })
      for (const type of ['incoming', 'masterImages']) {
        await sampleRecord('core', registryProject, { registryId, type })
      }
      const one = { id: String(analysis.id), registryId, buildStatus: 'executed', buildHash: hash }
      assert.isUndefined(await signatures.findUnsigned(one as never))
    }
    assert.lengthOf(warnings, answers.length - 1)
  })
})
