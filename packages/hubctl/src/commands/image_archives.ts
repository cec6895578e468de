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
The archive is the output of docker save, skopeo or hubctl image export, gzipped
or not. It is never unpacked, and all digests in it are verified.

Examples:
  hubctl image import python.tar --as python/base --images /srv/hub/images
  hubctl image import python.tar --as python/base --registry harbor`

const EXPORT_HELP = `
docker load, skopeo and hubctl image import read the archive.

Examples:
  hubctl image export master/python/base python.tar --images /srv/hub/images
  hubctl image export incoming/<analysis> analysis.tar --registry harbor`

export function importCommand(): Command {
  return withLocationOptions(
    new Command('import')
      .description('import an image from an archive')
      .argument('<archive>', 'a tar archive, optionally gzipped')
      .requiredOption('--as <name>', 'its name, such as python/base')
      .option('--repository <prefix>', 'the prefix of its repository')
      .option('--image <name>', 'its name in the archive, if there are several')
  )
    .addHelpText('after', IMPORT_HELP)
    .action(perform(importImage))
}

export function exportCommand(): Command {
  return withLocationOptions(
    new Command('export')
      .description('export an image to an archive')
      .argument('<image>', 'its repository, with a tag or a digest')
      .argument('<archive>', 'a file; .tar.gz compresses it once more')
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

/** Shows a progress bar while an operation runs. */
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
