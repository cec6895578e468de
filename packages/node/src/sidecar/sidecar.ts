import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { removeFile } from '#kernel/remove_file'
import type { LineListener } from '#node/containers/container_driver'
import { withoutInherited } from '#node/containers/inherited_descriptors'
import { procFile } from '#node/containers/process_tree'
import { SYSTEM_ENVIRONMENT } from '#node/containers/system_environment'
import { ContainerStartFailed } from '#node/errors'
import type { OutputPipes } from './output_pipes.js'
import type {
  BatchTaken,
  OutputBatch,
  Readiness,
  SidecarMessage,
  SidecarSettings,
} from './sidecar_messages.js'

const run = promisify(execFile)

const PROGRAM = fileURLToPath(
  new URL(`./sidecar_program${extname(import.meta.url)}`, import.meta.url)
)
const FLAGS = ['--max-old-space-size=64', '--max-semi-space-size=4']
/** The memory that it may reserve after its start, including its heap. */
const MEMORY_BYTES = 128 * 1024 ** 2
/** The maximum length of a socket path in Linux. */
const MAX_SOCKET_PATH_BYTES = 107

export interface SidecarOptions extends SidecarSettings {
  readonly outputs: OutputPipes
  readonly onLine: LineListener
  /** Receives a sentence about requests that did not reach the gateway. */
  readonly onRefusal: (sentence: string) => void
}

/**
 * A process in the network of a container that parses what the analysis sends and prints. The node gets complete
 * requests, responses and lines, a limited number at once. It runs outside of the container, where the analysis cannot
 * see or stop it.
 */
export class Sidecar {
  readonly #program: ChildProcess
  readonly pid: number
  readonly port: number
  readonly ended: Promise<unknown>
  /** Resolves when the output was delivered to its end. */
  readonly outputEnded: Promise<unknown>
  /** The last line of the output. */
  lastLine = ''

  /** `command` starts the program within the network of the container. */
  static async start(command: readonly string[], options: SidecarOptions): Promise<Sidecar> {
    const { outputs, onLine, onRefusal, ...settings } = options
    for (const path of [settings.gatewaySocket, settings.inboundSocket]) {
      requireShortPath(path)
    }
    await removeFile(settings.inboundSocket)
    const [file, ...args] = [
      ...[...command, process.execPath, ...process.execArgv, ...FLAGS],
      ...[PROGRAM, JSON.stringify(settings)],
    ]
    const program = spawn(file!, args, {
      env: SYSTEM_ENVIRONMENT,
      stdio: withoutInherited(['ignore', 'ignore', 'pipe', 'ipc', ...outputs.sources]),
      detached: true,
    })
    const ready = await readiness(program)
    const sidecar = new Sidecar(program, ready, { onLine, onRefusal })
    await sidecar.#boundMemory()
    return sidecar
  }

  private constructor(
    program: ChildProcess,
    { pid, port }: Readiness,
    { onLine, onRefusal }: Pick<SidecarOptions, 'onLine' | 'onRefusal'>
  ) {
    this.#program = program
    this.pid = pid
    this.port = port
    this.ended = once(program, 'exit')
    const delivered = Promise.withResolvers<void>()
    this.outputEnded = Promise.race([delivered.promise, this.ended])
    // The process has ended before the message reached it.
    program.on('error', () => {})
    program.on('message', (message: SidecarMessage) => {
      if (message.type === 'lines') {
        this.#take(message, onLine)
      } else if (message.type === 'refusal') {
        onRefusal(message.sentence)
      } else if (message.type === 'outputEnded') {
        delivered.resolve()
      }
    })
  }

  async close(): Promise<void> {
    if (this.#program.connected) {
      this.#program.disconnect()
    }
    await this.ended
  }

  #take({ lines, stream }: OutputBatch, onLine: LineListener): void {
    for (const line of lines) {
      onLine(line, stream)
    }
    this.lastLine = lines.at(-1) ?? this.lastLine
    const answer: BatchTaken = { taken: stream }
    if (this.#program.connected) {
      this.#program.send(answer)
    }
  }

  /** Node.js reserves several hundred MiB that it never uses, so the bound is what it has now, and some more. */
  async #boundMemory(): Promise<void> {
    const [, kib = '0'] = /^VmData:\s+(\d+) kB/m.exec(procFile(`${this.pid}/status`)) ?? []
    const bytes = Number(kib) * 1024 + MEMORY_BYTES
    try {
      await run('prlimit', ['--pid', String(this.pid), `--data=${bytes}:${bytes}`, '--core=0:0'], {
        env: SYSTEM_ENVIRONMENT,
      })
    } catch (error) {
      await this.close()
      throw failure('its memory could not be bounded', error)
    }
  }
}

function readiness(program: ChildProcess): Promise<Readiness> {
  const { promise, resolve, reject } = Promise.withResolvers<Readiness>()
  let errors = ''
  program.stderr!.on('data', (chunk: Buffer) => (errors = (errors + chunk).slice(-2_000)))
  program.once('error', (error) => reject(failure(error.message, error)))
  program.once('close', () => reject(failure(errors.trim() || 'it ended')))
  program.once('message', (message: SidecarMessage) =>
    message.type === 'ready'
      ? resolve(message)
      : reject(failure(message.type === 'problem' ? message.message : message.type))
  )
  return promise
}

const failure = (reason: string, cause?: unknown) =>
  new ContainerStartFailed(`The sidecar of the container could not be started: ${reason}`, cause)

function requireShortPath(path: string): void {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new ContainerStartFailed(
      `The path of a socket may have ${MAX_SOCKET_PATH_BYTES} bytes; keep the node's data in a folder with a shorter path: ${path}`
    )
  }
}
