import { BaseCommand } from '@adonisjs/core/ace'

export default class SweepImages extends BaseCommand {
  static commandName = 'sweep:images'
  static description =
    'Remove from the folder of images what no image names any more, as workers do it every hour'
  static help = ['What was written or asked for within a day stays: it may be about to be used.']

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
          `${removed} files of ${mebibytes(removedBytes)} MiB are removed, ${mebibytes(keptBytes)} MiB are kept`
        )
    }
    await runAttended(this, work, isImageFailure)
  }
}

const mebibytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1)
