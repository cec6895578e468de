import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'

import { JobFailure } from '#worker/job_failure'
import { Containment } from './containment.js'
import { removeFolder } from './work_folders.js'
import { runProgram, type ProgramResult } from './run_program.js'

export interface BuildahSettings {
  readonly program: string
  readonly isolation: 'chroot' | 'rootless' | 'oci'
  /** Storage driver. Chosen by what the host supports if left out. */
  readonly storage?: 'overlay' | 'vfs' | undefined
}

export interface BuildahOptions {
  readonly folder: string
  readonly signal: AbortSignal
  readonly onLine?: (line: string) => void
  /** Called with the last lines of output if a command fails. */
  readonly onFailure?: (lines: readonly string[]) => void
}

export interface NamedImage {
  readonly digest: string
  readonly name: string
}

/** Environment variables passed to builds. */
const PASSED_VARIABLES = [
  'PATH',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]

const NEVER = new AbortController().signal

/** Runs buildah, which builds images without a daemon, with all its state in the folder of the job. */
export class Buildah {
  readonly #settings: BuildahSettings
  readonly #run: BuildahOptions
  readonly #store: readonly string[]
  readonly #containment = new Containment()

  private constructor(settings: BuildahSettings, run: BuildahOptions, storage: string) {
    this.#settings = settings
    this.#run = run
    this.#store = [
      ...['--root', join(run.folder, 'storage'), '--runroot', join(run.folder, 'run')],
      ...['--storage-driver', storage],
    ]
  }

  /** The version of buildah, or undefined if it is not installed. */
  static async version({ program }: BuildahSettings): Promise<string | undefined> {
    const lines: string[] = []
    try {
      const { code } = await runProgram({
        ...(await new Containment().wrap(program, ['--version'])),
        env: environment('/'),
        cwd: '/',
        signal: NEVER,
        onLine: (line) => lines.push(line),
      })
      return code === 0 ? (lines[0] ?? program) : undefined
    } catch {
      return undefined
    }
  }

  /** Opens a store in the folder of the job. Prefers overlay storage, which shares layers. */
  static async open(settings: BuildahSettings, run: BuildahOptions): Promise<Buildah> {
    const overlay = new Buildah(settings, run, 'overlay')
    if (settings.storage === 'overlay') {
      return overlay
    }
    if (settings.storage === undefined) {
      const { code } = await overlay.#runOnce(['info'])
      if (code === 0) {
        return overlay
      }
    }
    await rm(join(run.folder, 'storage'), { recursive: true, force: true })
    await rm(join(run.folder, 'run'), { recursive: true, force: true })
    return new Buildah(settings, run, 'vfs')
  }

  /** Removes a work folder. Its files may belong to user IDs that only exist within builds. */
  static removal({ program }: BuildahSettings): (folder: string) => Promise<void> {
    return (folder) =>
      removeFolder(folder).catch(async () => {
        const args = ['unshare', 'rm', '-rf', folder]
        await runProgram({ program, args, env: environment('/'), cwd: '/', signal: NEVER })
        await removeFolder(folder)
      })
  }

  /** Loads an image of a layout under a name for Dockerfiles. The path of the layout must be a valid image name. */
  async load(layout: string, image: string): Promise<void> {
    const path = relative(this.#run.folder, layout)
    const lines = await this.#runChecked(['pull', '--quiet', `oci:${path}:${image}`])
    await this.#runChecked(['tag', lines.at(-1) ?? '', `localhost/${image}`])
  }

  /** Builds a context reproducibly. */
  async build(build: {
    readonly context: string
    readonly dockerfile: string
    readonly accounts: string
    readonly labels: Readonly<Record<string, string>>
    readonly platform: string
    readonly tag: string
  }): Promise<void> {
    const { context, dockerfile, accounts, labels, platform, tag } = build
    await this.#runChecked([
      'build',
      ...['--isolation', this.#settings.isolation, '--platform', platform],
      ...['--format', 'oci', '--timestamp', '0', '--pull=false', '--layers=false'],
      ...['--authfile', accounts, '--file', dockerfile, '--tag', tag],
      ...Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
      context,
    ])
  }

  /** Writes an image to a layout. */
  async save(tag: string, layout: string, image: string): Promise<void> {
    await this.#runChecked(['push', '--quiet', '--format', 'oci', tag, `oci:${layout}:${image}`])
  }

  /** All images in the store, once per name. */
  async images(): Promise<readonly NamedImage[]> {
    const lines: string[] = []
    const args = ['images', '--no-trunc', '--format', '{{.Digest}} {{.Name}}:{{.Tag}}']
    await this.#runChecked(args, (line) => lines.push(line))
    return lines.flatMap((line) => {
      const [, digest, name] = /^(sha256:[\da-f]{64})\s+(\S+)$/.exec(line) ?? []
      return digest !== undefined && name !== undefined ? [{ digest, name }] : []
    })
  }

  async #runChecked(
    args: readonly string[],
    onLine = this.#run.onLine
  ): Promise<readonly string[]> {
    const { code, lastLines } = await this.#runOnce(args, onLine)
    if (code !== 0) {
      this.#run.onFailure?.(lastLines)
      const [reason = 'there was no output'] = lastLines
        .filter((line) => /^error\b/i.test(line))
        .concat(lastLines.slice(-1))
      throw new JobFailure(
        'imageBuildFailed',
        `buildah ${args[0]} ended with ${code ?? 'a signal'}: ${reason}`
      )
    }
    return lastLines
  }

  async #runOnce(args: readonly string[], onLine?: (line: string) => void): Promise<ProgramResult> {
    const { folder, signal } = this.#run
    return runProgram({
      ...(await this.#containment.wrap(this.#settings.program, [...this.#store, ...args])),
      env: { ...environment(folder), TMPDIR: folder },
      cwd: folder,
      signal,
      ...(onLine && { onLine }),
    })
  }
}

/** Keeps the secrets in our environment out of builds. */
function environment(home: string): Record<string, string> {
  const names = Object.keys(process.env).filter(
    (name) => PASSED_VARIABLES.includes(name.toLowerCase()) || PASSED_VARIABLES.includes(name)
  )
  return {
    HOME: home,
    ...Object.fromEntries(names.map((name) => [name, process.env[name] ?? ''])),
  }
}
