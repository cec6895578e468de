import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { ContainerStartFailed } from '#node/errors'
import { exitOf } from '#node/containers/container_exit'
import { Forwarder } from '#node/containers/forwarder'
import { LineSplitter } from '#node/containers/line_splitter'
import { signalProcess } from '#node/containers/signal_process'
import {
  ANALYSIS_PORT,
  type Container,
  type ContainerDriver,
  type ContainerExit,
  type ContainerSpec,
  type OutputStream,
} from '#node/containers/container_driver'

const WARNING =
  'This analysis runs without a container: it can read and write what this account can, and reach every network'

/**
 * Runs analyses as plain processes, for development where no container can be made. Only an explicit switch may choose it.
 * There is one port 8000, so one analysis runs at a time.
 */
export class UncontainedDriver implements ContainerDriver {
  readonly name = 'none'
  #isBusy = false

  async available(): Promise<undefined> {}

  async recover(): Promise<void> {}

  async start(spec: ContainerSpec): Promise<Container> {
    if (this.#isBusy) {
      throw new ContainerStartFailed(
        'Without containers one analysis runs at a time: wait for the other one, or use bubblewrap'
      )
    }
    this.#isBusy = true
    spec.onLine(WARNING, 'stderr')
    try {
      const container = await UncontainedProcess.start(spec)
      void container.exited.then(() => (this.#isBusy = false))
      return container
    } catch (error) {
      this.#isBusy = false
      throw error
    }
  }
}

class UncontainedProcess implements Container {
  readonly exited: Promise<ContainerExit>
  readonly #program: ChildProcess
  #isStopped = false

  static async start(spec: ContainerSpec): Promise<UncontainedProcess> {
    const forwarder = await Forwarder.start([], {
      gatewaySocket: spec.gatewaySocket,
      gatewayPort: 0,
      inboundSocket: spec.inboundSocket,
      analysisPort: ANALYSIS_PORT,
    })
    const program = launch(spec, forwarder.port)
    try {
      await once(program, 'spawn')
    } catch (error) {
      await forwarder.close()
      throw new ContainerStartFailed(`The program was not started: ${error}`, error)
    }
    return new UncontainedProcess(spec, program, forwarder)
  }

  private constructor(spec: ContainerSpec, program: ChildProcess, forwarder: Forwarder) {
    this.#program = program
    splitLines(program, 'stdout', spec)
    splitLines(program, 'stderr', spec)
    this.exited = this.#finish(forwarder)
  }

  async stop(graceMs: number): Promise<ContainerExit> {
    this.#isStopped ||= this.#program.exitCode === null && this.#program.signalCode === null
    if (this.#isStopped) {
      this.#signal('SIGTERM')
      const timer = setTimeout(() => this.#signal('SIGKILL'), graceMs)
      await this.exited
      clearTimeout(timer)
    }
    return this.exited
  }

  async #finish(forwarder: Forwarder): Promise<ContainerExit> {
    const closed = once(this.#program, 'close')
    const [code, signal] = await once(this.#program, 'exit')
    this.#signal('SIGKILL')
    await closed
    await forwarder.close()
    const report = this.#isStopped
      ? ({ reason: 'stopped', message: 'It was stopped' } as const)
      : undefined
    return signal ? { code: null, signal, ...report } : exitOf(code, report)
  }

  /** To the whole process group. A program may leave it; then it goes on. */
  #signal(name: NodeJS.Signals): void {
    signalProcess(-this.#program.pid!, name)
  }
}

/** The gateway has no port 80 of its own here. Requests reach it through the proxy variables, with their whole address. */
function launch(spec: ContainerSpec, port: number): ChildProcess {
  const proxy = `http://127.0.0.1:${port}`
  const [file, ...args] = spec.command.map((part) => inRoot(spec.rootPath, part))
  return spawn(file!, args, {
    cwd: join(spec.rootPath, spec.workingFolder),
    env: { ...spec.variables, http_proxy: proxy, HTTP_PROXY: proxy },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
}

/** Paths of the image are below its root folder. */
function inRoot(rootPath: string, part: string): string {
  const path = join(rootPath, part)
  return part.startsWith('/') && existsSync(path) ? path : part
}

function splitLines(program: ChildProcess, stream: OutputStream, { onLine }: ContainerSpec): void {
  const lines = new LineSplitter((line) => onLine(line, stream))
  program[stream]!.on('data', (chunk: Buffer) => lines.write(chunk))
  program[stream]!.on('end', () => lines.end())
}
