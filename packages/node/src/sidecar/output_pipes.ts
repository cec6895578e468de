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

/** Pipes that take the output of a container. What `spawn` makes is a socket, which `/dev/stdout` cannot open. */
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

  /** What the sidecar reads from. */
  get sources(): number[] {
    return this.#pipes.map(({ source }) => source)
  }

  /** What the container is started with. */
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
  // The account of the container opens it again by its descriptor; the folder keeps others out.
  await chmod(path, 0o622)
  const source = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const sink = openSync(path, constants.O_WRONLY)
  await rm(folder, { recursive: true })
  return { source, sink }
}
