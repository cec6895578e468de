import { stat } from 'node:fs/promises'

import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { progressOf, type Progress } from '#hubctl/output/progress'
import { exportArchive } from '#oci/archive/export_archive'
import { importArchive } from '#oci/archive/import_archive'
import { exportedName, importedName } from '#oci/archive/imported_name'
import { bytesOfImage } from '#oci/copy_image'
import { parseImageName } from '#oci/image_names'
import {
  explainImageFailure,
  openImageLocation,
  withLocationOptions,
  type ImageLocationOptions,
} from './image_location.js'

interface ImportOptions extends ImageLocationOptions {
  readonly as: string
  readonly repository?: string
  readonly image?: string
}

const IMPORT_HELP = `
The archive is what docker save, skopeo or hubctl image export wrote, with gzip
or without. It is never unpacked, and all of it is compared with its digests.

Examples:
  hubctl image import python.tar --as python/base --images /srv/hub/images
  hubctl image import python.tar --as python/base --registry harbor`

const EXPORT_HELP = `
docker load and skopeo take the archive, and so does hubctl image import.

Examples:
  hubctl image export master/python/base python.tar --images /srv/hub/images
  hubctl image export incoming/<analysis> analysis.tar --registry harbor`

export function importCommand(): Command {
  return withLocationOptions(
    new Command('import')
      .description('take an image out of an archive, to build analyses on it')
      .argument('<archive>', 'a tar, or one of gzip')
      .requiredOption('--as <name>', 'what it is called, such as python/base')
      .option('--repository <prefix>', 'what its name begins with where it is kept')
      .option('--image <name>', 'what the archive calls it, where it has several')
  )
    .addHelpText('after', IMPORT_HELP)
    .action(perform(importImage))
}

export function exportCommand(): Command {
  return withLocationOptions(
    new Command('export')
      .description('write an image into an archive')
      .argument('<image>', 'its name where it is kept, with a tag or a digest')
      .argument('<archive>', 'a file; .tar.gz has it compressed once more')
  )
    .addHelpText('after', EXPORT_HELP)
    .action(perform(exportImage))
}

async function importImage(invocation: Invocation<ImportOptions>, archive: string): Promise<void> {
  const { options, output } = invocation
  await explainImageFailure(
    (async () => {
      const { store, masterImages, name } = await openImageLocation(invocation)
      const { repository, tag } = importedName(options.as, options.repository ?? masterImages)
      const total = await stat(archive).then(
        ({ size }) => size,
        () => 0
      )
      const { digest } = await withProgress(output.isQuiet, archive, total, (onBytes) =>
        importArchive(archive, { store, repository, tag }, { image: options.image, onBytes })
      )
      store.close()
      output.done(`${repository}:${tag} is in ${name}, as ${digest}`)
    })()
  )
}

async function exportImage(
  invocation: Invocation<ImageLocationOptions>,
  image: string,
  archive: string
): Promise<void> {
  const { output } = invocation
  await explainImageFailure(
    (async () => {
      const { repository, reference } = parseImageName(image)
      const { store } = await openImageLocation(invocation)
      const from = { store, repository, reference }
      const name = exportedName(repository, reference)
      const total = await bytesOfImage(from)
      const { digest } = await withProgress(output.isQuiet, name, total, (onBytes) =>
        exportArchive(from, archive, { name, onBytes })
      )
      store.close()
      output.done(`${name} is in ${archive}, as ${digest}`)
    })()
  )
}

/** Shows how far something is, to somebody who waits for it. */
async function withProgress<T>(
  isQuiet: boolean,
  title: string,
  total: number,
  work: (onBytes: (bytes: number) => void) => Promise<T>
): Promise<T> {
  const bar: Progress = await progressOf(title, total, isQuiet)
  let bytes = 0
  try {
    const result = await work((more) => bar.at((bytes += more)))
    bar.end(title)
    return result
  } catch (error) {
    bar.fail()
    throw error
  }
}
