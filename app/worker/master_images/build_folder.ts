import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { copyImage } from '#oci/copy_image'
import { FolderStore } from '#oci/folder/folder_store'
import { LATEST } from '#oci/image_names'
import { DEFAULT_PLATFORM } from '#oci/platform_image'
import type { Material } from '#oci/signing/provenance'
import { JobFailure } from '#worker/job_failure'
import { baseImage } from '#worker/images/base_image'
import { LOCAL_IMAGES } from '#oci/open_image_store'
import { BASES, basesAmong, BUILT, ownBases } from '#worker/master_images/buildah/bases'
import { Buildah } from '#worker/master_images/buildah/buildah'
import { writeConfiguration, type KnownRegistry } from '#worker/master_images/buildah/configuration'
import { parseStep } from '#worker/master_images/buildah/parse_step'
import type { ForeignImage } from './foreign_images.js'
import type { ImageBuild } from './builder_settings.js'
import { DOCKERFILE } from '#worker/master_images/sources/found_folders'
import { labelsOf } from '#worker/master_images/sources/image_command'

const MAX_LINES = 500

interface BuiltFolder extends ForeignImage {
  /** Images it was built on. */
  readonly bases: readonly Material[]
}

/** Builds an image with buildah. The result stays in a layout in the folder of the job. */
export async function buildFolder(
  build: ImageBuild,
  progress: (share: number) => void
): Promise<BuiltFolder> {
  const { settings, job, image, folder, material } = build
  const { log, signal } = job
  if (!settings.buildah || material.kind !== 'context') {
    throw new JobFailure('imageBuilderNotFound', 'No image builder is available here')
  }
  const dockerfile = join(material.folder, DOCKERFILE)
  const buildah = await Buildah.open(settings.buildah, {
    folder,
    signal,
    onLine: logLines(build, progress),
    onFailure: (lines) => log.warn(`The last lines of the build:\n${lines.join('\n')}`),
  })
  const accounts = await writeConfiguration(folder, await readableRegistries(build))
  await loadBases(build, buildah, await readFile(dockerfile, 'utf8'))
  const { os, architecture } = DEFAULT_PLATFORM
  await log.stage(`Build ${image.virtualPath}`, () =>
    buildah.build({
      context: material.folder,
      dockerfile,
      accounts,
      platform: `${os}/${architecture}`,
      tag: BUILT,
      labels: { 'org.opencontainers.image.title': image.virtualPath, ...labelsOf(image) },
    })
  )
  const layout = join(folder, 'built')
  await buildah.save(BUILT, layout, `built:${LATEST}`)
  return {
    store: await FolderStore.open(layout),
    repository: 'built',
    reference: LATEST,
    bases: basesAmong(await buildah.images()),
  }
}

/** Uses the master image accounts, because the build runs untrusted code. */
async function readableRegistries({ settings, job }: ImageBuild): Promise<KnownRegistry[]> {
  const known = await job.platform.registries()
  const servers = known.filter(({ host }) => host !== LOCAL_IMAGES)
  return Promise.all(
    servers.map(async (registry) => ({
      ...(await job.locations.withMasterAccount(registry)),
      isInsecure: settings.isInsecure(registry.host),
    }))
  )
}

/** Loads the master images that the Dockerfile builds on. */
async function loadBases(build: ImageBuild, buildah: Buildah, dockerfile: string): Promise<void> {
  const { job, location, folder } = build
  const bases = ownBases(dockerfile)
  if (bases.length === 0) {
    return
  }
  const layout = join(folder, BASES)
  await mkdir(layout)
  const store = await FolderStore.open(layout)
  for (const virtualPath of bases) {
    const base = await baseImage(job.locations, location, virtualPath, job.log)
    const repository = `master/${virtualPath}`
    await copyImage(
      { store: location.store, repository: base.repository, reference: base.stored.digest },
      { store, repository },
      { tag: LATEST }
    )
    await buildah.load(layout, `${repository}:${LATEST}`)
  }
}

/** Logs the output of buildah up to a limit. */
function logLines({ job: { log } }: ImageBuild, progress: (share: number) => void) {
  let lines = 0
  return (line: string) => {
    const step = parseStep(line)
    if (step) {
      progress(step.share)
      log.info(line)
    } else if (line.trim() !== '' && lines++ < MAX_LINES) {
      log.debug(line)
    }
  }
}
