import { BaseCommand, flags } from '@adonisjs/core/ace'

export default class ImagePython extends BaseCommand {
  static commandName = 'image:python'
  static description = 'Make a master image from the Python of this machine'
  static help = [
    'image:python                          stored as master/python/base:latest',
    'image:python --python=/opt/bin/python3',
    'It needs no network. Analyses reach their node with the module flamesdk in it.',
  ]

  @flags.string({ description: 'Name of the image', default: 'python/base' })
  declare as: string

  @flags.string({ description: 'The Python to copy', default: 'python3' })
  declare python: string

  async run() {
    const { runAttended } = await import('#backup/run_attended')
    const { importedName } = await import('#oci/archive/imported_name')
    const { isImageFailure } = await import('#oci/errors')
    const { openImageStore } = await import('#oci/open_image_store')
    const { PythonMissing } = await import('#node/errors')
    const { writePythonImage } = await import('#node/python_image/write_python_image')
    const { env } = await import('#start/env')
    const work = async ({ signal, progress }: Attendance) => {
      const { repository, tag } = importedName(this.as)
      const store = await openImageStore({ path: env.IMAGES_PATH })
      let bytes = 0
      const { digest } = await writePythonImage(store.within(signal), repository, tag, {
        python: this.python,
        onBytes: (more) => progress(`${Math.round((bytes += more) / 1024 ** 2)} MiB`),
      })
      return () =>
        this.logger.success(`${repository}:${tag} is in ${env.IMAGES_PATH}, as ${digest}`)
    }
    await runAttended(
      this,
      work,
      (error) => error instanceof PythonMissing || isImageFailure(error)
    )
  }
}

interface Attendance {
  readonly signal: AbortSignal
  readonly progress: (text: string) => void
}
