import { execFile } from 'node:child_process'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { controlFiles } from '#deb/control_files'
import { debianArchive } from '#deb/debian_archive'
import { installedFiles } from '#deb/installed_files'
import { ARCHITECTURES } from '#image/architectures'
import { folderEntries } from '#image/folder_entries'
import { VERSION } from '#kernel/version'
import { builtProgram } from '#tests/helpers/built_program'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const ARCHITECTURE = ARCHITECTURES.find(({ node }) => node === process.arch)!
const COMMIT = { id: '0'.repeat(40), at: new Date('2026-01-02T03:04:05Z'), isModified: false }
const HOME = '/opt/analysis-hub'

/** Node.js and one package. All that production requires takes longer than a test may. */
const PACKAGES_OF_NPM = {
  node: () =>
    folderEntries(
      join(ROOT, 'node_modules', `node-linux-${process.arch}`, 'bin'),
      'usr/local/bin',
      (name) => name === 'node'
    ),
  libraries: () =>
    folderEntries(join(ROOT, 'node_modules/luxon/src'), 'opt/analysis-hub/node_modules/luxon/src'),
}

test.group('The Debian package', (group) => {
  let made: Buffer

  group.setup(async () => {
    await Promise.all([builtProgram(), ensurePackages(PACKAGES.systemd)])
    made = await archive()
  })

  async function archive(): Promise<Buffer> {
    const data = await installedFiles(ROOT, PACKAGES_OF_NPM, COMMIT)
    const control = await controlFiles(join(ROOT, 'deploy/debian'), ARCHITECTURE, data)
    return debianArchive({ control, data }, COMMIT.at)
  }

  test('the package has the same bytes whenever it is made', async ({ assert }) => {
    assert.isTrue(made.equals(await archive()))
  }).timeout(300_000)

  test('the package is installed, verified, and purged by dpkg, and keeps what belongs to others', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    const file = join(folder, 'analysis-hub.deb')
    await writeFile(file, made)
    const root = join(folder, 'root')
    await mkdir(join(root, 'var/lib/dpkg'), { recursive: true })
    await mkdir(join(root, 'etc'))
    const dpkg = (...args: string[]) =>
      run('dpkg', [`--root=${root}`, '--force-depends', '--force-script-chrootless', ...args], {
        // Scripts without a root of their own run with commands that act on this folder, or say what was asked of them.
        env: { ...process.env, PATH: `${folder}/bin:${process.env.PATH}` },
      })
    await mkdir(join(folder, 'bin'))
    for (const name of ['systemd-sysusers', 'systemd-tmpfiles']) {
      const script = `#!/bin/sh\nexec /usr/bin/${name} --root=${root} "$@"\n`
      await writeFile(join(folder, 'bin', name), script, { mode: 0o755 })
    }
    const recorder = `#!/bin/sh\necho "$@" >> ${folder}/systemctl\n`
    await writeFile(join(folder, 'bin/systemctl'), recorder, { mode: 0o755 })

    await dpkg('--install', file)
    assert.match(await readFile(join(root, 'etc/passwd'), 'utf8'), /^analysis-hub:x:/m)
    assert.equal((await stat(join(root, 'etc/analysis-hub/secrets'))).mode & 0o777, 0o700)
    for (const path of ['/usr/lib/systemd/system/analysis-hub.service', '/etc/analysis-hub.env']) {
      assert.isTrue((await stat(join(root, path))).isFile())
    }
    assert.deepEqual((await stat(join(root, HOME, 'build/bin/pool.js'))).mtime, COMMIT.at)
    const { stdout } = await run(join(root, HOME, 'node_modules/.bin/node'), ['--version'])
    assert.match(stdout, /^v24\./)
    const installed = await dpkg('--status', 'analysis-hub')
    assert.include(installed.stdout, `Version: ${VERSION}`)
    assert.include(installed.stdout, ' /etc/analysis-hub.env ')
    assert.equal((await dpkg('--verify', 'analysis-hub')).stdout, '')
    await writeFile(join(root, HOME, 'build/bin/pool.js'), 'changed')
    assert.include((await dpkg('--verify', 'analysis-hub')).stdout, `${HOME}/build/bin/pool.js`)

    const secret = join(root, 'etc/analysis-hub/secrets/APP_KEY')
    await writeFile(secret, 'kept')
    const removed = await dpkg('--purge', 'analysis-hub')
    assert.include(removed.stdout, '/etc/analysis-hub remains')
    assert.equal(await readFile(secret, 'utf8'), 'kept')
    await assert.rejects(() => stat(join(root, HOME)))
    await assert.rejects(() => stat(join(root, 'etc/analysis-hub.env')))
    const commands = await readFile(join(folder, 'systemctl'), 'utf8')
    assert.include(commands, '--quiet disable analysis-hub.service analysis-hub-worker.service')
  }).timeout(300_000)
})
