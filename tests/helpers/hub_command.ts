import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { builtProgram } from './built_program.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CONSOLE = join(ROOT, 'build', 'bin', 'console.js')

type Variables = Record<string, string | undefined>

/** A command for the machine, `node ace …`, in a process of its own. */
export class HubCommand {
  readonly #child: ChildProcess
  #output = ''

  /** The working directory is that of the installation, where no `.env` is found. */
  static async start(
    args: readonly string[],
    { folder, variables }: { folder: string; variables: Variables }
  ): Promise<HubCommand> {
    await builtProgram()
    return new HubCommand(args, folder, variables)
  }

  private constructor(args: readonly string[], folder: string, variables: Variables) {
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
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const keep = (chunk: Buffer) => void (this.#output += chunk)
    this.#child.stdout!.on('data', keep)
    this.#child.stderr!.on('data', keep)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** How it ended, and what it said until then. */
  async ended(): Promise<{ code: number | null; output: string }> {
    const { exitCode, signalCode } = this.#child
    if ((exitCode ?? signalCode) === null) {
      await once(this.#child, 'close')
    }
    return { code: this.#child.exitCode, output: this.#output }
  }
}
