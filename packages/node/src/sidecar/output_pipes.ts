import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import type { OutputStream } from '#node/containers/container_driver'
import { SYSTEM_ENVIRONMENT } from '#node/containers/system_environment'

const run = promisify(execFile)

const STREAMS: readonly OutputStream[] = ['stdout', 'stderr']

interface Pipe {
  readonly source: number
  readonly sink: number
}

/** Pipes for the output of a container. `spawn` would create sockets, which cannot be opened as `/dev/stdout`. */
export class OutputPipes {
  readonly #pipes: readonly Pipe[]
  #isOpen = true

  /** The container sees the path of the folder. */
  static async open(folder: string): Promise<OutputPipes> {
    return new OutputPipes(await Promise.all(STREAMS.map((stream) => openPipe(folder, stream))))
  }

  private constructor(pipes: readonly Pipe[]) {
    this.#pipes = pipes
  }

  /** The descriptors for the sidecar. */
  get sources(): number[] {
    return this.#pipes.map(({ source }) => source)
  }

  /** The descriptors for the container. */
  get sinks(): number[] {
    return this.#pipes.map(({ sink }) => sink)
  }

  /** Closes the descriptors of this process. Call it once both sides have their own: a pipe ends with its last sink. */
  close(): void {
    if (this.#isOpen) {
      this.#isOpen = false
      this.#pipes.flatMap(({ source, sink }) => [source, sink]).forEach((one) => closeSync(one))
    }
  }
}

async function openPipe(parent: string, stream: OutputStream): Promise<Pipe> {
  const folder = await mkdtemp(join(parent, 'output-'))
  const path = join(folder, stream)
  await run('mkfifo', [path], { env: SYSTEM_ENVIRONMENT })
  // Writable by the account of the container, which may open it again; the folder excludes others.
  await chmod(path, 0o622)
  const source = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const sink = openSync(path, constants.O_WRONLY)
  await rm(folder, { recursive: true })
  return { source, sink }
}
