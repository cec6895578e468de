import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { Machine } from '#tests/services/hubctl/hubctl'
import { freePort } from '#tests/services/servers/free_port'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { procFile } from '#tests/services/servers/process_table'
import { ShownProcess } from './shown_process.js'

/** A sandbox of `hubctl sandbox up`, on a machine that nobody else has. */
export class TestSandbox {
  readonly machine: Machine
  readonly folder: string
  readonly #port: number
  readonly #options: readonly string[]
  readonly #variables: Record<string, string>
  #running: ShownProcess | undefined

  private constructor(
    machine: Machine,
    port: number,
    options: readonly string[],
    variables: Record<string, string>
  ) {
    this.machine = machine
    this.folder = machine.path('sandbox')
    this.#port = port
    this.#options = options
    this.#variables = variables
  }

  /** The options and variables are those of `up`. */
  static async create(
    options: readonly string[] = [],
    variables: Record<string, string> = {}
  ): Promise<TestSandbox> {
    await ensurePackages(PACKAGES.containers)
    return new TestSandbox(await Machine.createRecord(), await freePort(), options, variables)
  }

  get url(): string {
    return `http://localhost:${this.#port}`
  }

  /** Returns when it says that it is ready. */
  async up(): Promise<void> {
    const args = ['sandbox', '--folder', this.folder, 'up', '--port', String(this.#port)]
    const env = this.#variables
    this.#running = new ShownProcess(this.machine.start([...args, ...this.#options], { env }))
    await this.#running.shows('Ready.')
  }

  /** Resolves when it has printed a text. */
  shows(text: string): Promise<void> {
    return this.#running!.shows(text)
  }

  /** Ends only the process of the terminal, and nothing in order. */
  async kill(): Promise<void> {
    this.#running!.child.kill('SIGKILL')
    await this.#running!.ended()
  }

  /** What a command of the sandbox prints; one that fails throws. */
  command(...args: string[]): Promise<string> {
    return this.machine.must('sandbox', '--folder', this.folder, ...args)
  }

  /** What the run of an analysis prints. Its result stays on the machine. */
  async run(analysis: string, env: Record<string, string> = {}): Promise<string> {
    const to = await mkdtemp(this.machine.path('result-'))
    const args = ['sandbox', '--folder', this.folder, 'run', analysis, '--to', to]
    return this.machine.succeed(args, { env })
  }

  /** What the hub answers to somebody. */
  read<T>(context: string, path: string): Promise<T> {
    return this.machine.json<T>('--context', context, 'api', 'core', path)
  }

  /** The process of a node, which is watched by another one. */
  async nodeProcess(name: string): Promise<number> {
    const { node } = await this.nodeProcesses(name)
    return node
  }

  async nodeProcesses(
    name: string
  ): Promise<{ readonly supervisor: number; readonly node: number }> {
    const settings = join(this.folder, 'nodes', name, 'node.yaml')
    const isNode = (command: string) => command.includes('node_program')
    const ofName = (command: string) => command.includes(settings)
    const [node] = await this.processes((command) => ofName(command) && isNode(command))
    const [supervisor] = await this.processes((command) => ofName(command) && !isNode(command))
    return { supervisor: supervisor!, node: node! }
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
    await this.#running?.end()
    await this.machine.remove()
  }
}
