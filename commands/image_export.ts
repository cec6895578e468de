import { args, BaseCommand } from '@adonisjs/core/ace'

export default class ImageExport extends BaseCommand {
  static commandName = 'image:export'
  static description = 'Write an image of the folder of images into an archive'
  static help = [
    'image:export master/python/base python.tar',
    'docker load and skopeo take the archive, and so does image:import elsewhere.',
    'A name that ends in .tar.gz or .tgz has it compressed once more, which saves little.',
  ]

  @args.string({ description: 'Its name, with a tag or a digest behind it' })
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
