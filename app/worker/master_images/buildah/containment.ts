import { runProgram } from './run_program.js'

interface ProgramCall {
  readonly program: string
  readonly args: readonly string[]
}

/** Separate PID and mount namespaces, which the kernel cleans up with their first process. */
const UNSHARE_ARGS = [
  ...['--mount', '--propagation', 'private', '--mount-proc'],
  ...['--pid', '--fork', '--kill-child=KILL'],
]

const NEVER = new AbortController().signal

/**
 * Wraps programs so that they end with this process, however that ends. As root, they also get their own namespaces;
 * rootless builds create them themselves.
 */
export class Containment {
  #isUnshareAllowed: Promise<boolean> | undefined

  async wrap(program: string, args: readonly string[]): Promise<ProgramCall> {
    this.#isUnshareAllowed ??= canUnshare()
    const unshare = (await this.#isUnshareAllowed) ? ['unshare', ...UNSHARE_ARGS] : []
    return { program: 'setpriv', args: ['--pdeathsig', 'KILL', ...unshare, program, ...args] }
  }
}

/** Root in a container may lack the capability. */
async function canUnshare(): Promise<boolean> {
  if (process.getuid?.() !== 0) {
    return false
  }
  try {
    const env = { PATH: process.env.PATH ?? '' }
    const args = [...UNSHARE_ARGS, 'true']
    const { code } = await runProgram({ program: 'unshare', args, env, cwd: '/', signal: NEVER })
    return code === 0
  } catch {
    return false
  }
}
