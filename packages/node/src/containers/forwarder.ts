import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import { removeFile } from '#kernel/remove_file'

import { ContainerStartFailed } from '#node/errors'
import { SYSTEM_ENVIRONMENT } from './system_environment.js'

const PROGRAM = fileURLToPath(
  new URL(`./forwarder_program${extname(import.meta.url)}`, import.meta.url)
)
const FLAGS = ['--max-old-space-size=32', '--max-semi-space-size=1']
/** Linux allows no longer paths. */
const MAX_SOCKET_PATH_BYTES = 107

export interface ForwardedPorts {
  readonly gatewaySocket: string
  readonly gatewayPort: number
  readonly inboundSocket: string
  readonly analysisPort: number
}

/**
 * The way between a container and its node: from a port in the container's network to the socket of the gateway, and from
 * a socket to a port of the analysis. It runs outside of the container, where the analysis cannot see or stop it.
 */
export class Forwarder {
  readonly #program: ChildProcess
  readonly pid: number
  /** The port that leads to the gateway. */
  readonly port: number
  readonly ended: Promise<unknown>

  /** `command` starts the program within the network of the container. */
  static async start(command: readonly string[], ports: ForwardedPorts): Promise<Forwarder> {
    const { gatewaySocket, gatewayPort, inboundSocket, analysisPort } = ports
    for (const path of [gatewaySocket, inboundSocket]) {
      requireShortPath(path)
    }
    await removeFile(inboundSocket)
    const [file, ...args] = [...command, process.execPath, ...FLAGS, PROGRAM]
    const program = spawn(
      file!,
      [...args, gatewaySocket, String(gatewayPort), inboundSocket, String(analysisPort)],
      {
        cwd: '/',
        env: SYSTEM_ENVIRONMENT,
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        detached: true,
      }
    )
    const { pid, port } = await readiness(program)
    return new Forwarder(program, pid, port)
  }

  private constructor(program: ChildProcess, pid: number, port: number) {
    this.#program = program
    this.pid = pid
    this.port = port
    this.ended = once(program, 'exit')
  }

  async close(): Promise<void> {
    if (this.#program.connected) {
      this.#program.disconnect()
    }
    await this.ended
  }
}

interface Readiness {
  readonly pid: number
  readonly port: number
}

function readiness(program: ChildProcess): Promise<Readiness> {
  const { promise, resolve, reject } = Promise.withResolvers<Readiness>()
  let errors = ''
  program.stderr!.on('data', (chunk: Buffer) => (errors = (errors + chunk).slice(-2_000)))
  program.once('error', (error) => reject(failure(error.message, error)))
  program.once('close', () => reject(failure(errors.trim() || 'it ended')))
  program.once('message', (message: Readiness | { readonly problem: string }) =>
    'problem' in message ? reject(failure(message.problem)) : resolve(message)
  )
  return promise
}

const failure = (reason: string, cause?: unknown) =>
  new ContainerStartFailed(`The forwarder of the container could not be started: ${reason}`, cause)

function requireShortPath(path: string): void {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new ContainerStartFailed(
      `The path of a socket may have ${MAX_SOCKET_PATH_BYTES} bytes; keep the node's data in a folder with a shorter path: ${path}`
    )
  }
}
