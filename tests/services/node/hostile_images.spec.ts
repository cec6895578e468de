import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { DEFAULT_LIMITS } from '#node/containers/container_driver'
import { ContainerStartFailed, ImageRejected } from '#node/errors'
import { runConfigOf } from '#node/images/run_config'
import { unpackImage } from '#node/images/unpack_image'
import { newId } from '#kernel/new_id'
import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { containerSeats, type Seat } from '#tests/helpers/node/container_seats'
import { baseEntries, HOSTILE_IMAGES, type HostileImage } from '#tests/helpers/node/hostile_images'
import { gzipLayer, putLayers } from '#tests/helpers/node/layered_image'
import { RunningContainer } from '#tests/helpers/node/running_container'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const MIB = 1024 ** 2
const UNPACK_LIMITS = { maxBytes: 32 * MIB, maxEntries: 20_000 }
/** A container that sees more than its shell and what that starts sees others. */
const OWN_PROCESSES = 8

await ensurePackages(PACKAGES.containers)

for (const seat of containerSeats()) {
  test.group(`Hostile base images | ${seat.name}`, (group) => {
    let folder: string
    /** Its path may be seen by a container, that of the other may not. */
    let sockets: string
    let store: ImageStore
    let driver: ReturnType<Seat['open']>

    group.setup(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hub-hostile-'))
      sockets = await mkdtemp(join(tmpdir(), 'hub-sockets-'))
      await chown(folder, seat.account, seat.account)
      await chown(sockets, seat.account, seat.account)
      store = await openImageStore({ path: join(folder, 'images') })
      driver = seat.open(join(folder, 'run'))
      return async () => {
        await driver.close?.()
        await rm(folder, { recursive: true, force: true })
        await rm(sockets, { recursive: true, force: true })
      }
    })
    group.each.timeout(180_000)

    async function unpacked({ config, entries = [], layers }: HostileImage) {
      const drafts = layers?.() ?? [gzipLayer([...baseEntries(), ...entries])]
      const { digest } = await putLayers(store, drafts, { ...(config && { config }) })
      const architecture = process.arch === 'x64' ? 'amd64' : process.arch
      const image = await platformImage(store, 'image', digest, { os: 'linux', architecture })
      const rootPath = join(folder, newId())
      await unpackImage(store, image, rootPath, UNPACK_LIMITS)
      return { rootPath, ...runConfigOf(image.config) }
    }

    async function start(image: HostileImage): Promise<RunningContainer> {
      const { rootPath, command, variables, workingFolder } = await unpacked(image)
      return RunningContainer.start(driver, {
        name: 'analysis',
        rootPath,
        command,
        variables,
        workingFolder,
        limits: DEFAULT_LIMITS,
        gatewayHost: 'nginx-analysis',
        gatewaySocket: join(sockets, 'out'),
        inboundSocket: join(sockets, newId().slice(0, 8)),
      })
    }

    for (const image of HOSTILE_IMAGES.filter(({ becomes }) => becomes === 'rejected')) {
      test(`${image.title}: it is not unpacked`, async ({ assert }) => {
        await assert.rejects(() => unpacked(image), ImageRejected)
      })
    }

    for (const image of HOSTILE_IMAGES.filter(({ becomes }) => becomes === 'refused')) {
      test(`${image.title}: no container starts`, async ({ assert }) => {
        await assert.rejects(() => start(image), ContainerStartFailed)
      })
    }

    for (const image of HOSTILE_IMAGES.filter(({ becomes }) => becomes === 'harmless')) {
      test(`${image.title}: it runs, and gains nothing`, async ({ assert }) => {
        const container = await start(image)
        await container.exited
        const { output } = container

        assert.include(output, 'stdout: end')
        const [, count = ''] = /stdout: start\nstdout: (\d+)/.exec(output) ?? []
        assert.isBelow(Number(count), OWN_PROCESSES)
        assert.include(output, '65534')
        assert.include(output, 'CapEff:\t0000000000000000')
        assert.notInclude(output, 'stdout: /bin/busybox')
        assert.notMatch(output, /stdout: [bc]rw/)
        assert.notInclude(output, folder)
      })
    }
  })
}
