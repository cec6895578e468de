import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { FolderStore } from '#oci/folder/folder_store'
import type { Descriptor } from '#oci/image_store'
import { platformImage } from '#oci/platform_image'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { eventually } from '#tests/helpers/eventually'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { enterMasterImage, Researcher } from '#tests/helpers/worker/researcher'
import { putTinyImage } from '#tests/helpers/worker/tiny_image'

const FREE = { SKIP_PROJECT_APPROVAL: 'true', SKIP_ANALYSIS_APPROVAL: 'true' }
const FILES = { 'main.py': 'print("done")\n', 'lib/deep/helper.py': 'x = 1\n', 'lib.txt': '' }
const MANY = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [`lib/module-${n}.py`, `x = ${n}\n`])
)
const ARGUMENTS = [{ value: '-u' }, { value: '--late', position: 'after' }]

test.group('An installation of one program', (group) => {
  let hub: HubProcesses
  let images: FolderStore
  let researcher: Researcher
  let masterImageId: string
  let project: Awaited<ReturnType<Researcher['project']>>

  group.setup(async () => {
    hub = await HubProcesses.start('server', { variables: FREE })
    images = await FolderStore.open(join(hub.folder, '.data', 'images'))
    await putTinyImage(images, 'master/python/base')
    masterImageId = await enterMasterImage(hub.folder, {
      virtualPath: 'python/base',
      command: 'python3',
      commandArguments: ARGUMENTS,
    })
    researcher = await Researcher.at(hub.origin)
    project = await researcher.project()
    return () => hub.remove()
  })

  const built = async (files: Readonly<Record<string, string>> = FILES) => {
    const id = await researcher.analysis(project, masterImageId, files)
    await researcher.lockAndBuild(id)
    return { id, analysis: await researcher.built(id) }
  }
  const failedWith = (id: string, code: string) =>
    eventually(async () => {
      const path = `/analysis-logs?filter[analysisId]=${id}&filter[level]=error`
      const found: any[] = await researcher.core('GET', path)
      return found.find(({ labels }) => labels.event === 'executionFailed' && labels.code === code)
    })
  const imageOf = (id: string) => platformImage(images, `incoming/${id}`, 'latest')

  test('the installation builds an analysis from scratch', async ({ assert }) => {
    const { id, analysis } = await built()
    const { stored, config, manifest } = await imageOf(id)
    const [base] = (await platformImage(images, 'master/python/base', 'latest')).manifest.layers
    const run = config.content.config as Record<string, any>
    assert.containSubset(analysis, {
      buildStatus: 'executed',
      buildProgress: 100,
      buildHash: stored.digest,
      buildOs: 'linux',
    })
    assert.isAbove(Number(analysis.buildSize), 0)
    assert.lengthOf(manifest.layers, 2)
    assert.deepEqual(manifest.layers[0], base)
    assert.deepEqual(run.Entrypoint, ['python3', '-u', '/opt/code/main.py', '--late'])
    assert.isUndefined(run.Cmd)
    assert.equal(run.Labels['analysis-hub.analysis'], id)
    assert.match(run.Labels['analysis-hub.content'], /^[\da-f]{64}$/)
  })

  test('logs the stages to the log of the analysis', async ({ assert }) => {
    const { id } = await built()
    const lines = await eventually(async () => {
      const found = await researcher.core('GET', `/analysis-logs?filter[analysisId]=${id}`)
      return found.length >= 8 && found
    })
    assert.isTrue(lines.every(({ service }: any) => service === 'hub-server-worker'))
    assert.containSubset(lines[0].labels, {
      component: 'analysisBuilder',
      command: 'execute',
      refType: 'analysis',
      refId: id,
      analysisId: id,
    })
  })

  test('the installation repeats a build, and finds its image in a check', async ({ assert }) => {
    const { id, analysis } = await built()
    await researcher.command(id, 'buildCheck')
    await eventually(async () => {
      const lines = await researcher.core('GET', `/analysis-logs?filter[analysisId]=${id}`)
      return lines.some(({ labels }: any) => labels.command === 'check')
    })
    await images.removeManifest(`incoming/${id}`, analysis.buildHash)
    await researcher.command(id, 'buildCheck')
    await researcher.built(id, ['failed'])
    await researcher.command(id, 'buildStart')
    const again = await researcher.built(id)
    assert.equal(again.buildHash, analysis.buildHash)
  })

  test('the installation reports why there is no image', async ({ assert }) => {
    const other = await enterMasterImage(hub.folder, { virtualPath: 'r/none', command: 'R' })
    const id = await researcher.analysis(project, other, FILES)
    await researcher.lockAndBuild(id)
    const analysis = await researcher.built(id)
    assert.equal(analysis.buildStatus, 'failed')
    const { message } = await failedWith(id, 'masterImageNotFound')
    assert.include(message, 'the image r/none')
  })

  test('the installation accepts any file name', async ({ assert, cleanup }) => {
    const names = [
      'main program.py',
      'ünï/çödé.py',
      '$(id)/`x`/"quoted".py',
      '-rf',
      '.hidden/…',
      'x'.repeat(200),
      `${'deep/'.repeat(30)}end.py`,
      '🙂.py',
    ]
    const files = Object.fromEntries(names.map((name) => [name, `# ${name}\n`]))
    const { id, analysis } = await built(files)
    const { config, manifest } = await imageOf(id)
    const run = config.content.config as Record<string, any>
    assert.equal(analysis.buildStatus, 'executed')
    assert.include(run.Entrypoint, '/opt/code/main program.py')
    const folder = await temporaryFolder(cleanup)
    const found = await filesIn(images, `incoming/${id}`, manifest.layers.at(-1)!, folder)
    assert.sameDeepMembers(
      found,
      names.map((name) => [`opt/code/${name}`, `# ${name}\n`])
    )
  })

  test('{$self} is not built, with a reason')
    .with([
      'a name that would take files away',
      'code that was changed where it is stored',
      'code of many files of which one was changed where it is stored',
    ])
    .run(async ({ assert }, what) => {
      const isName = what.startsWith('a name')
      const files = {
        ...FILES,
        ...(isName && { 'lib/.wh.issue': '' }),
        ...(what.includes('many') && MANY),
      }
      const id = await researcher.analysis(project, masterImageId, files)
      if (!isName) {
        await changeObjects(
          join(hub.folder, '.data', 'objects'),
          FILES['main.py'],
          'print("evil")\n'
        )
      }
      await researcher.lockAndBuild(id)
      const { buildStatus } = await researcher.built(id)
      assert.equal(buildStatus, 'failed')
      assert.isUndefined(await images.manifest(`incoming/${id}`, 'latest'))
      await failedWith(id, isName ? 'layerEntryInvalid' : 'codeChanged')
    })
})

/** The files of a layer with their content. */
async function filesIn(store: FolderStore, repository: string, layer: Descriptor, folder: string) {
  const packed = Buffer.concat(await Array.fromAsync(store.readBlob(repository, layer)))
  execFileSync('tar', ['-xzf', '-', '-C', folder], { input: packed })
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(
    paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')])
  )
}

/** Changes stored objects directly, keeping their size. */
async function changeObjects(folder: string, from: string, to: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && (await readFile(path, 'utf8')) === from) {
      await writeFile(path, to.padEnd(from.length).slice(0, from.length))
    }
  }
}
