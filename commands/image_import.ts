import { args, BaseCommand, flags } from '@adonisjs/core/ace'

export default class ImageImport extends BaseCommand {
  static commandName = 'image:import'
  static description = 'Import an image from an archive into the folder of images'
  static help = [
    'image:import python.tar --as=python/base     stored as master/python/base:latest',
    'The archive is the output of docker save, skopeo or image:export, gzipped or not.',
    'Into a registry: hubctl image import --registry=<name>',
  ]

  @args.string({ description: 'The archive' })
  declare archive: string

  @flags.string({ description: 'Name of the image, such as python/base' })
  declare as: string

  @flags.string({ description: 'Prefix of its name in the folder (master)' })
  declare repository: string | undefined

  @flags.string({ description: 'Name of the image in the archive, if there are several' })
  declare image: string | undefined

  async run() {
    const { runAttended } = await import('#backup/run_attended')
    const { importArchive } = await import('#oci/archive/import_archive')
    const { importedName } = await import('#oci/archive/imported_name')
    const { isImageFailure } = await import('#oci/errors')
    const { openImageStore } = await import('#oci/open_image_store')
    const { reportImport } = await import('#worker/master_images/report_import')
    const { env } = await import('#start/env')
    if (!this.as) {
      this.logger.error('pass the name of the image: --as=python/base')
      this.exitCode = 1
      return
    }
    const work = async ({
      signal,
      progress,
    }: {
      signal: AbortSignal
      progress: ReportProgress
    }) => {
      const { repository, tag } = importedName(this.as, this.repository)
      const store = await openImageStore({ path: env.IMAGES_PATH })
      let bytes = 0
      const { digest } = await importArchive(
        this.archive,
        { store: store.within(signal), repository, tag },
        {
          signal,
          image: this.image,
          onBytes: (more) => progress(`${Math.round((bytes += more) / 1024 ** 2)} MiB`),
        }
      )
      return () => reportImport(this, { repository, tag, digest }, env)
    }
    await runAttended(this, work, isImageFailure)
  }
}

type ReportProgress = (progress: string) => void
