import { args, BaseCommand } from '@adonisjs/core/ace'

export default class ImageExport extends BaseCommand {
  static commandName = 'image:export'
  static description = 'Export an image from the folder of images to an archive'
  static help = [
    'image:export master/python/base python.tar',
    'docker load, skopeo and image:import read the archive.',
    'A name ending in .tar.gz or .tgz compresses it once more, which saves little.',
  ]

  @args.string({ description: 'Its name, with a tag or a digest' })
  declare image: string

  @args.string({ description: 'The archive' })
  declare archive: string

  async run() {
    const { runAttended } = await import('#backup/run_attended')
    const { exportArchive } = await import('#oci/archive/export_archive')
    const { exportedName } = await import('#oci/archive/imported_name')
    const { isImageFailure } = await import('#oci/errors')
    const { parseImageName } = await import('#oci/image_names')
    const { openImageStore } = await import('#oci/open_image_store')
    const { env } = await import('#start/env')
    const work = async ({ signal }: { signal: AbortSignal }) => {
      const { repository, reference } = parseImageName(this.image)
      const store = await openImageStore({ path: env.IMAGES_PATH })
      const name = exportedName(repository, reference)
      const from = { store: store.within(signal), repository, reference }
      const { digest } = await exportArchive(from, this.archive, { name, signal })
      return () => this.logger.success(`${name} is in ${this.archive}, as ${digest}`)
    }
    await runAttended(this, work, isImageFailure)
  }
}
