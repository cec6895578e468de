import { BaseCommand } from '@adonisjs/core/ace'

export default class SweepImages extends BaseCommand {
  static commandName = 'sweep:images'
  static description =
    'Remove unreferenced files from the folder of images, as workers do every hour'
  static help = ['Files written or read within a day stay, since they may be in use soon.']

  async run() {
    const { runAttended } = await import('#backup/run_attended')
    const { isImageFailure } = await import('#oci/errors')
    const { openImageStore } = await import('#oci/open_image_store')
    const { sweepFolder } = await import('#oci/folder/sweep_folder')
    const { env } = await import('#start/env')
    const work = async ({ signal }: { signal: AbortSignal }) => {
      await openImageStore({ path: env.IMAGES_PATH })
      const { removed, removedBytes, keptBytes } = await sweepFolder(env.IMAGES_PATH, { signal })
      return () =>
        this.logger.success(
          `${removed} files of ${mebibytes(removedBytes)} MiB were removed, ${mebibytes(keptBytes)} MiB are kept`
        )
    }
    await runAttended(this, work, isImageFailure)
  }
}

const mebibytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1)
