import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { ace } from '#tests/helpers/ace_process'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { shellArchive } from '#tests/helpers/worker/shell_archive'
import { pythonPackage } from './python_packages.js'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const run = promisify(execFile)

const STUDY = script('study.py')
const SUITE = script('suite.py')
const VERSIONS = ['0.5.5', '1.1.0']
const ENTRYPOINT = 'main.py'
/** Some forty requests and a build; a quiet machine needs a few seconds. */
const LIFE_LIMIT_SECONDS = 60
const LIMIT_MS = 1_200_000

test.group('The client for Python, at a program that was only started', (group) => {
  let hub: HubProcesses
  let folder: string

  group.setup(async () => {
    await ensurePackages(PACKAGES.imageTools)
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-python-'))
    hub = await HubProcesses.start('server')
    const imported = await ace(['image:import', await shellArchive(folder), '--as=python/base'], {
      DATA_DIR: join(hub.folder, '.data'),
    })
    if (imported.exit !== 0) {
      throw new Error(imported.stderr)
    }
    return async () => {
      await hub.remove()
      await rm(folder, { recursive: true, force: true })
    }
  })

  for (const version of VERSIONS) {
    test(`version ${version} takes an analysis from nothing to its image within seconds`, async ({
      assert,
    }) => {
      const { stdout } = await python(version, STUDY, hub.origin, ENTRYPOINT, 'echo hello\n')
      const { id, seconds, ...told } = JSON.parse(stdout)

      const images = await openImageStore({ path: join(hub.folder, '.data', 'images') })
      const { stored, config } = await platformImage(images, `incoming/${id}`, 'latest')
      assert.deepEqual(told, {
        buckets: ['CODE', 'RESULT', 'TEMP'],
        bucketsOfProject: 3,
        // The older one writes the key of a relation in a form that the wire drops.
        bucketsOfAnother: version === '0.5.5' ? 3 : 0,
        isClientRead: true,
        areNodesValid: true,
        buildStatus: 'executed',
        buildHash: stored.digest,
      })
      assert.containSubset(config.content.config, {
        Entrypoint: ['sh', `/opt/code/${ENTRYPOINT}`],
      })
      assert.isBelow(seconds, LIFE_LIMIT_SECONDS)
    }).timeout(LIMIT_MS)

    test(`version ${version} makes, reads, changes and deletes every kind of record, of which nothing is left`, async () => {
      await python(version, SUITE, hub.origin)
    }).timeout(LIMIT_MS)
  }
})

function script(name: string): string {
  return fileURLToPath(new URL(`python_client/${name}`, import.meta.url))
}

/** Rejects with what a script prints where it fails, which names the step. */
async function python(version: string, ...command: string[]): Promise<{ stdout: string }> {
  const program = join(await pythonPackage('flame-hub-client', version), 'python')
  return run(program, ['-B', ...command])
}
