import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { builtProgram } from './built_program.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CONSOLE = join(ROOT, 'build', 'bin', 'console.js')

type Variables = Record<string, string | undefined>

interface Setting {
  folder: string
  variables: Variables
  /** What stands on its standard input. */
  input?: string
}

/** A command for the machine, `node ace …`, in a process of its own. */
export class HubCommand {
  readonly #child: ChildProcess
  /** Resolves with the first that it prints, or with its end. */
  readonly spoke: Promise<unknown>
  #output = ''

  /** The working directory is that of the installation, where no `.env` is found. */
  static async start(args: readonly string[], setting: Setting): Promise<HubCommand> {
    await builtProgram()
    return new HubCommand(args, setting)
  }

  private constructor(args: readonly string[], { folder, variables, input = '' }: Setting) {
    const program = ['--pdeathsig', 'KILL', '--', process.execPath, CONSOLE, ...args]
    this.#child = spawn('setpriv', program, {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_ENV: 'development',
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
        ...variables,
      },
      stdio: 'pipe',
    })
    this.#child.stdin!.on('error', () => {}).end(input)
    this.spoke = Promise.race(
      [this.#child.stdout!, this.#child.stderr!].map((stream) => once(stream, 'readable'))
    )
    const keep = (chunk: Buffer) => void (this.#output += chunk)
    this.#child.stdout!.on('data', keep)
    this.#child.stderr!.on('data', keep)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** How it ended, and what it said until then. */
  async ended(): Promise<{
    code: number | null
    signal: NodeJS.Signals | null
    output: string
  }> {
    const { exitCode, signalCode } = this.#child
    if ((exitCode ?? signalCode) === null) {
      await once(this.#child, 'close')
    }
    const { exitCode: code, signalCode: signal } = this.#child
    return { code, signal, output: this.#output }
  }
}
