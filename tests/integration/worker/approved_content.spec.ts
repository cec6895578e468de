import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { FolderStore } from '#oci/folder/folder_store'
import { platformImage } from '#oci/platform_image'
import { buildAnalysis } from '#worker/analysis_builder/build_analysis'
import { distribution } from '#worker/distribution/distribute_analysis'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { CONTENT, DistributionScene } from '#tests/helpers/worker/distribution_scene'
import { putTinyImage } from '#tests/helpers/worker/tiny_image'

const ANOTHER = 'd'.repeat(64)
const BUCKET = randomUUID()
const IMAGE = { id: randomUUID(), virtualPath: 'python/base', command: 'python3' }
const distribute = distribution({ stallMs: 10_000, pausesMs: [] })

test.group('The approved content', (group) => {
  let scene: DistributionScene
  let images: FolderStore
  /** The content digest on the platform. */
  let digest: string
  let values: readonly { value: string }[]

  group.each.setup(async ({ context }) => {
    const folder = await temporaryFolder((undo) => context.test.cleanup(undo))
    images = await FolderStore.open(join(folder, 'images'))
    await putTinyImage(images, 'master/python/base')
    scene = await DistributionScene.set({
      folder: async () => images,
      registry: () => images,
    })
    digest = CONTENT
    values = [{ value: '-u' }]
    scene.platform.buildRegistry = () => ({ registry: null })
    scene.platform.analysis.masterImage = IMAGE
    scene.platform.content = () => scene.agreed([], digest)
    scene.platform.code = () => ({
      digest,
      masterImage: IMAGE,
      imageCommandArguments: values,
      bucketId: BUCKET,
      total: scene.platform.stored.size,
      files: [...scene.platform.stored].map(([bucketFileId, { path }]) => ({
        bucketFileId,
        path,
        root: path === 'main.py',
      })),
    })
    store('main.py')
    return () => scene.platform.stop()
  })

  const store = (path: string, text = `# ${path}\n`) => {
    const id = randomUUID()
    scene.platform.stored.set(id, { path, bytes: Buffer.from(text) })
    return id
  }
  const build = () => scene.run(buildAnalysis, undefined, CONTENT)
  const codeOf = async (doing: Promise<unknown>) => {
    try {
      await doing
      return null
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  const imageOf = () => images.manifest(`incoming/${scene.id}`, 'latest')
  /** An image with an unapproved file that was removed later, and a false label. */
  const smuggled = async (text: string, approved?: string) => {
    const foreign = store('lib.py', text)
    const { hash } = (await build()) as { hash: string }
    scene.platform.stored.delete(foreign)
    if (approved !== undefined) {
      store('lib.py', approved)
    }
    scene.platform.analysis.buildHash = hash
  }

  test('the content must match the content of the build request', async ({ assert }) => {
    const foreign = store('lib.py')
    digest = ANOTHER
    assert.equal(await codeOf(build()), 'contentChanged')
    assert.isUndefined(await imageOf())
    scene.platform.stored.delete(foreign)
    digest = CONTENT
    assert.isNull(await codeOf(build()))
  })

  test('the content must be reported together with the files', async ({ assert }) => {
    const report = scene.platform.code!
    scene.platform.code = () => ({ ...report(), digest: undefined })
    assert.equal(await codeOf(build()), 'contentChanged')
    assert.isUndefined(await imageOf())
  })

  test('includes the image and arguments read with the files', async ({ assert }) => {
    scene.platform.analysis.masterImage = { ...IMAGE, command: 'sh', virtualPath: 'other/base' }
    scene.platform.analysis.imageCommandArguments = [{ value: '-c' }]
    await build()
    const { config } = await platformImage(images, `incoming/${scene.id}`, 'latest')
    const { Entrypoint } = config.content.config as { Entrypoint: string[] }
    assert.deepEqual(Entrypoint, ['python3', '-u', '/opt/code/main.py'])
  })

  test('the content must match the image before it is distributed: {what}')
    .with([
      { what: 'a file more', approved: undefined },
      { what: 'a file with other bytes', approved: 'y = 1\n' },
    ])
    .run(async ({ assert }, { approved }) => {
      const { repository } = scene.node(scene.registry({ host: 'local-images' }))
      scene.platform.analysis.registryId = null
      await smuggled('x = 1\n', approved)
      assert.equal(await codeOf(scene.run(distribute)), 'contentChanged')
      assert.isUndefined(await images.manifest(repository, 'latest'))
      assert.isNull(await codeOf(build()))
      scene.platform.analysis.buildHash = (await imageOf())!.digest
      assert.isNull(await codeOf(scene.run(distribute)))
    })

  test('the content must be named by the label of the image', async ({ assert }) => {
    const { repository } = scene.node(scene.registry({ host: 'local-images' }))
    scene.platform.analysis.registryId = null
    assert.equal(await codeOf(scene.run(buildAnalysis)), 'contentChanged', 'without a content')
    const { code } = scene.platform
    scene.platform.code = () => ({ ...code!(), digest: null })
    const { hash } = (await scene.run(buildAnalysis)) as { hash: string }
    scene.platform.code = code
    scene.platform.analysis.buildHash = hash
    assert.equal(await codeOf(scene.run(distribute)), 'contentChanged')
    assert.isUndefined(await images.manifest(repository, 'latest'))
  })
})
