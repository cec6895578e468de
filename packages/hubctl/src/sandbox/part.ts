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
  /** Keeps what an earlier process has printed there. */
  readonly goesOn?: boolean
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
    const log = await open(options.log, options.goesOn ? 'a' : 'w', 0o600)
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

  /** Also that of its process group. */
  get pid(): number {
    return this.#child.pid!
  }

  /** How it has ended. */
  get ending(): string {
    return this.#child.signalCode ?? `exit code ${this.#child.exitCode}`
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Resolves when the process has ended, and what it left in its group with it. */
  async ended(): Promise<void> {
    await this.#exited
    killGroup(this.pid)
  }

  /** Ends the process, and after some time everything that it started. */
  async stop(): Promise<void> {
    if (!this.isRunning) {
      return
    }
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => killGroup(this.pid), GRACE_MS)
    await this.#exited
    clearTimeout(timer)
  }
}

/** Ends all processes of a group; there may be none any more. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error
    }
  }
}
