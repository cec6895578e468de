import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { PacedLines } from './paced_lines.js'
import { SYSTEM_ENVIRONMENT } from './system_environment.js'
import type { LineListener, OutputStream } from './container_driver.js'

const run = promisify(execFile)

/** A pipe that takes the output of a container. What `spawn` makes is a socket, which `/dev/stdout` cannot open. */
export class OutputPipe {
  /** What the container is started with. */
  readonly descriptor: number
  /** Resolves when the last process with the pipe has ended. */
  readonly finished: Promise<void>

  /** Both streams of a container. It sees the path of the folder. */
  static openAll(folder: string, onLine: LineListener): Promise<OutputPipe[]> {
    const streams: readonly OutputStream[] = ['stdout', 'stderr']
    return Promise.all(streams.map((stream) => OutputPipe.#open(folder, stream, onLine)))
  }

  static async #open(
    parent: string,
    stream: OutputStream,
    onLine: LineListener
  ): Promise<OutputPipe> {
    const folder = await mkdtemp(join(parent, 'output-'))
    const path = join(folder, stream)
    await run('mkfifo', [path], { env: SYSTEM_ENVIRONMENT })
    // The account of the container opens it again by its descriptor; the folder keeps others out.
    await chmod(path, 0o622)
    const start = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const end = openSync(path, constants.O_WRONLY)
    await rm(folder, { recursive: true })
    return new OutputPipe(start, end, (line) => onLine(line, stream))
  }

  private constructor(start: number, end: number, onLine: (line: string) => void) {
    this.descriptor = end
    const reader = new Socket({ fd: start, readable: true, writable: false })
    this.finished = new PacedLines(onLine).readAll(reader)
  }

  /** Closes the end of this process. Call it once the container has its own. */
  release(): void {
    closeSync(this.descriptor)
  }
}
