import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'

import { eventually } from '#tests/helpers/eventually'
import { Machine } from '#tests/services/hubctl/hubctl'
import { freePort } from '#tests/services/servers/free_port'

const READY_MS = 600_000

/** A process whose output can be read while it runs. */
export class ShownProcess {
  printed = ''

  constructor(readonly child: ChildProcessWithoutNullStreams) {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => (this.printed += text.toString()))
    }
  }

  /** Returns when it has printed a text; throws if it ends before. */
  async shows(text: string): Promise<void> {
    await eventually(() => {
      if (this.child.exitCode !== null) {
        throw new Error(`It ended before it printed "${text}": ${this.printed}`)
      }
      return this.printed.includes(text)
    }, READY_MS)
  }

  async end(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit')
      this.child.kill('SIGTERM')
      await exited
    }
  }
}

/** A terminal with a sandbox: its folder, its port, and a home with its contexts. */
export class SandboxTerminal {
  readonly #options: readonly string[]
  readonly #variables: Record<string, string>
  #up: ShownProcess | undefined

  static async open(
    options: readonly string[] = [],
    variables: Record<string, string> = {}
  ): Promise<SandboxTerminal> {
    return new SandboxTerminal(await Machine.createRecord(), await freePort(), options, variables)
  }

  private constructor(
    readonly machine: Machine,
    readonly port: number,
    options: readonly string[],
    variables: Record<string, string>
  ) {
    this.#options = options
    this.#variables = variables
  }

  get folder(): string {
    return this.machine.path('sandbox')
  }

  get url(): string {
    return `http://localhost:${this.port}`
  }

  /** The process of the last `up`. */
  get running(): ChildProcessWithoutNullStreams {
    return this.#up!.child
  }

  /** Returns when the sandbox says that it is ready. */
  async up(): Promise<void> {
    this.#up = this.start('up', '--port', String(this.port), ...this.#options)
    await this.#up.shows('Ready.')
  }

  start(...args: string[]): ShownProcess {
    const call = ['sandbox', '--folder', this.folder, ...args]
    return new ShownProcess(this.machine.start(call, { env: this.#variables }))
  }

  /** What a command of the sandbox prints; one that fails throws. */
  call(...args: string[]): Promise<string> {
    return this.machine.must('sandbox', '--folder', this.folder, ...args)
  }

  async close(): Promise<void> {
    await this.#up?.end()
    await this.machine.remove()
  }
}
