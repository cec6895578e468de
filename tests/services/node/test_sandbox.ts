import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { eventually } from '#tests/helpers/eventually'
import { Machine } from '#tests/services/hubctl/hubctl'
import { freePort } from '#tests/services/servers/free_port'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { procFile } from '#tests/services/servers/process_table'

const READY_MS = 600_000

/** A sandbox of `hubctl sandbox up`, on a machine that nobody else has. */
export class TestSandbox {
  readonly machine: Machine
  readonly folder: string
  readonly #port: number
  readonly #isolation: string
  #running: ChildProcessWithoutNullStreams | undefined

  private constructor(machine: Machine, port: number, isolation: string) {
    this.machine = machine
    this.folder = machine.path('sandbox')
    this.#port = port
    this.#isolation = isolation
  }

  static async create(isolation: string): Promise<TestSandbox> {
    await ensurePackages(PACKAGES.containers)
    return new TestSandbox(await Machine.createRecord(), await freePort(), isolation)
  }

  /** Returns when it says that it is ready. */
  async up(): Promise<void> {
    const args = ['sandbox', '--folder', this.folder, 'up', '--port', String(this.#port)]
    const running = this.machine.start([...args, '--isolation', this.#isolation])
    this.#running = running
    let printed = ''
    for (const stream of [running.stdout, running.stderr]) {
      stream.on('data', (text: Buffer) => (printed += text.toString()))
    }
    await eventually(() => {
      if (running.exitCode !== null) {
        throw new Error(`The sandbox ended: ${printed}`)
      }
      return printed.includes('Ready.')
    }, READY_MS)
  }

  /** Resolves with the exit code of `sandbox up`. */
  async ended(): Promise<number | null> {
    const running = this.#running!
    if (running.exitCode === null) {
      await once(running, 'exit')
    }
    return running.exitCode
  }

  /** A command of the sandbox. */
  command(...args: string[]): Promise<string> {
    return this.machine.must('sandbox', '--folder', this.folder, ...args)
  }

  /** What the hub answers to somebody. */
  read<T>(context: string, path: string): Promise<T> {
    return this.machine.json<T>('--context', context, 'api', 'core', path)
  }

  /** The process of a node. */
  async nodeProcess(name: string): Promise<number> {
    const settings = join(this.folder, 'nodes', name, 'node.yaml')
    const found = await this.processes((command) => command.includes(settings))
    return found.at(-1)!
  }

  /** The processes whose arguments are as described; by default those with the folder in them. */
  async processes(matches = (command: string) => command.includes(this.folder)): Promise<number[]> {
    const ids = await readdir('/proc')
    return ids
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((id) => matches(procFile(id, 'cmdline')))
  }

  async remove(): Promise<void> {
    this.#running?.kill('SIGTERM')
    await this.ended()
    await this.machine.remove()
  }
}
