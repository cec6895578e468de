import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface PartOptions {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly folder: string
  /** Everything that it prints goes there. */
  readonly log: string
}

const GRACE_MS = 30_000

/** A process of the sandbox. It has a process group of its own, so that Ctrl-C reaches it in order. */
export class Part {
  readonly name: string
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>

  private constructor(name: string, child: ChildProcess) {
    this.name = name
    this.#child = child
    this.#exited = once(child, 'exit')
    this.#exited.catch(() => {})
  }

  static async start(options: PartOptions): Promise<Part> {
    await mkdir(dirname(options.log), { recursive: true, mode: 0o700 })
    const log = await open(options.log, 'w', 0o600)
    try {
      const child = spawn(options.program, options.args, {
        cwd: options.folder,
        env: options.environment,
        stdio: ['ignore', log.fd, log.fd],
        detached: true,
      })
      await once(child, 'spawn')
      return new Part(options.name, child)
    } finally {
      await log.close()
    }
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Resolves when the process has ended. */
  async ended(): Promise<void> {
    await this.#exited
  }

  /** Ends the process, and after some time everything that it started. */
  async stop(): Promise<void> {
    if (!this.isRunning) {
      return
    }
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => process.kill(-this.#child.pid!, 'SIGKILL'), GRACE_MS)
    await this.#exited
    clearTimeout(timer)
  }
}
