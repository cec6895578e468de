import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { builtProgram } from './built_program.js'
import { prepareData } from './prepared_data.js'
import { pauseInhabitants, signalInhabitants } from '#tests/services/servers/inhabitants'
import { livingIn, procFile } from '#tests/services/servers/process_table'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Programs are started as `npm start` does it. */
const { SERVER_FLAGS }: { SERVER_FLAGS: string[] } = await import(
  new URL('../../bin/bootstrap/engine.mjs', import.meta.url).href
)

const MEMBER = /^(web|jobs)-\d+$/
const LIMIT_MS = 300_000
const LOOK_AGAIN_MS = 20

type Program = 'server' | 'pool'
type Variables = Record<string, string | undefined>

interface Setting {
  variables?: Variables
  /** What lies in its working directory, the data folder `.data` included, before it starts. */
  files?: Record<string, string>
  /** Where another build lies than that of these sources. */
  root?: string
  /** Whether it makes its database by itself: those that a run of tests made keep nothing when the machine dies. */
  isDurable?: boolean
  /** A command that begins the one after it, for a program that is not to be begun as whoever runs the tests. */
  commandPrefix?: readonly string[]
}

const DEFAULTS: Variables = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_ENV: 'development',
  PORT: '0',
  ADMIN_PORT: '0',
  RATE_LIMIT_ANONYMOUS: '0',
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
}

/**
 * A program of the hub with everything it starts, in real processes: on free ports, with a folder of its own as working
 * directory and for its data. The test that starts one calls `remove`; all of it ends with the tests in any case.
 */
export class HubProcesses {
  readonly folder: string
  /** Exit code of the program, or the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals>
  readonly #child: ChildProcess
  #output = ''

  /** Starts a program for the first time and returns at once. */
  static async launch(program: Program, setting: Setting = {}): Promise<HubProcesses> {
    const folder = await mkdtemp(join(tmpdir(), 'hub-processes-'))
    return HubProcesses.#launchIn(folder, program, setting)
  }

  static async #launchIn(folder: string, program: Program, setting: Setting) {
    const { variables, files = {}, root = ROOT, commandPrefix = [] } = setting
    await builtProgram()
    for (const [file, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await writeFile(join(folder, file), content)
    }
    const file = join(root, 'build', 'bin', `${program}.js`)
    const command = [...commandPrefix, process.execPath, ...SERVER_FLAGS, file]
    return new HubProcesses(folder, command, variables)
  }

  /** Starts a program and returns when it says that it is ready. */
  static async start(program: Program, setting?: Setting): Promise<HubProcesses> {
    const folder = await mkdtemp(join(tmpdir(), 'hub-processes-'))
    const { DATABASE_URL, DATA_DIR } = setting?.variables ?? {}
    if (!DATABASE_URL && !DATA_DIR && !setting?.isDurable) {
      await prepareData(join(folder, '.data'))
    }
    const hub = await HubProcesses.#launchIn(folder, program, setting ?? {})
    try {
      await hub.until('it was ready', () => hub.output.includes('is ready after'))
      return hub
    } catch (error) {
      await hub.remove()
      throw error
    }
  }

  private constructor(folder: string, command: readonly string[], variables?: Variables) {
    this.folder = folder
    // A group of its own, as a terminal makes one, so that Ctrl-C can reach all of it.
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command], {
      cwd: folder,
      env: { ...DEFAULTS, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const keep = (chunk: Buffer) => void (this.#output += chunk)
    this.#child.stdout!.on('data', keep)
    this.#child.stderr!.on('data', keep)
    this.exit = once(this.#child, 'exit').then(([code, signal]) => code ?? signal)
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** What the program and its processes have printed. */
  get output(): string {
    return this.#output
  }

  /** Base address of the surfaces. */
  get origin(): string {
    return `http://${this.#matchOutput(/^ {2}listens +(\S+)$/m)}`
  }

  /** Base address of health and metrics. */
  get admin(): string {
    return this.#matchOutput(/^ {2}metrics +(\S+)\/metrics$/m)
  }

  /** Every process that is left of it. */
  get processes(): number[] {
    return livingIn(this.folder)
  }

  /** The processes of a pool that do its work, by their names. At a reload, one name may have two for a while. */
  get members(): [name: string, pid: number][] {
    return this.processes
      .map((pid): [string, number] => [procFile(pid, 'cmdline').split('\0').at(-2) ?? '', pid])
      .filter(([name]) => MEMBER.test(name))
  }

  /** Every process of its embedded database. */
  get database(): number[] {
    return livingIn(this.#databaseFolder)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Every process of the terminal's foreground group is told. */
  pressCtrlC(): void {
    process.kill(-this.pid, 'SIGINT')
  }

  /** Holds up its database, and with it whatever waits for an answer of it; the returned function lets it go on. */
  async pauseDatabase(): Promise<() => void> {
    const folder = this.#databaseFolder
    await pauseInhabitants(folder)
    return () => void signalInhabitants(folder, 'SIGCONT')
  }

  /** Waits until something is so; fails with what was printed where it never gets so. */
  async until(what: string, isSo: () => unknown): Promise<void> {
    const deadline = performance.now() + LIMIT_MS
    while (!(await isSo())) {
      const { exitCode, signalCode } = this.#child
      if ((exitCode ?? signalCode) !== null || performance.now() > deadline) {
        throw new Error(`The program ended, or took too long, before ${what}:\n${this.output}`)
      }
      await delay(LOOK_AGAIN_MS)
    }
  }

  /** Waits until nothing is left of it, for as long as an orderly end may take. */
  async gone(): Promise<void> {
    const deadline = performance.now() + LIMIT_MS
    while (this.processes.length > 0) {
      if (performance.now() > deadline) {
        throw new Error(`Processes were left behind: ${this.processes.map(describe).join('; ')}`)
      }
      await delay(LOOK_AGAIN_MS)
    }
  }

  /** Ends whatever is left of it and removes its folder. */
  async remove(): Promise<void> {
    while (this.processes.length > 0) {
      this.processes.forEach(kill)
      await delay(LOOK_AGAIN_MS)
    }
    await rm(this.folder, { recursive: true, force: true })
  }

  get #databaseFolder(): string {
    return join(this.folder, '.data', 'postgres')
  }

  #matchOutput(pattern: RegExp): string {
    const found = pattern.exec(this.output)?.[1]
    if (!found) {
      throw new Error(`The program did not say ${pattern}:\n${this.output}`)
    }
    return found
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself in the meantime.
  }
}

function describe(pid: number): string {
  return `${pid} ${procFile(pid, 'cmdline').replaceAll('\0', ' ')}`
}
