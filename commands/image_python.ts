import { BaseCommand, flags } from '@adonisjs/core/ace'

export default class ImagePython extends BaseCommand {
  static commandName = 'image:python'
  static description = 'Make a master image with Python: that of this machine, or that of Debian'
  static help = [
    'image:python                          stored as master/python/base:latest',
    'image:python --python=/opt/bin/python3',
    'image:python --root=debian --packages=python3-numpy,python3-pandas',
    'Without --root it needs no network. With it, mmdebstrap gets the packages from a mirror of Debian.',
    'Analyses reach their node with the module flamesdk in it.',
  ]

  @flags.string({ description: 'Name of the image', default: 'python/base' })
  declare as: string

  @flags.string({ description: 'The Python to copy', default: 'python3' })
  declare python: string

  @flags.string({ description: 'machine or debian', default: 'machine' })
  declare root: string

  @flags.string({ description: 'The release of Debian', default: 'bookworm' })
  declare suite: string

  @flags.array({ description: 'Packages of Debian beside python3' })
  declare packages: string[] | undefined

  @flags.string({ description: 'The mirror of Debian, if not its own' })
  declare mirror: string | undefined

  async run() {
    if (this.root !== 'machine' && this.root !== 'debian') {
      this.exitCode = 2
      return this.logger.error('Pass a root: --root=machine or --root=debian')
    }
    const { runAttended } = await import('#backup/run_attended')
    const { isImageFailure } = await import('#oci/errors')
    const { DebianRootFailed, PythonMissing } = await import('#node/errors')
    const isExpected = (error: unknown) =>
      error instanceof PythonMissing || error instanceof DebianRootFailed || isImageFailure(error)
    await runAttended(this, (attendance) => this.#write(attendance), isExpected)
  }

  async #write({ signal, progress }: Attendance) {
    const { importedName } = await import('#oci/archive/imported_name')
    const { openImageStore } = await import('#oci/open_image_store')
    const { reportImport } = await import('#worker/master_images/report_import')
    const { writeDebianImage, writePythonImage } =
      await import('#node/python_image/write_python_image')
    const { env } = await import('#start/env')
    const { repository, tag } = importedName(this.as)
    const store = await openImageStore({ path: env.IMAGES_PATH })
    let bytes = 0
    const onBytes = (more: number) => progress(`${Math.round((bytes += more) / 1024 ** 2)} MiB`)
    const destination = { store: store.within(signal), repository, tag, onBytes }
    const { suite, mirror, packages = [] } = this
    const { digest } =
      this.root === 'debian'
        ? await writeDebianImage(destination, { suite, mirror, packages }, signal)
        : await writePythonImage(destination, this.python)
    return () => reportImport(this, { repository, tag, digest }, env)
  }
}

interface Attendance {
  readonly signal: AbortSignal
  readonly progress: (text: string) => void
}
