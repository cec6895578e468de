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

let isUnshareAllowed: Promise<boolean> | undefined

/**
 * Wraps a program so that it ends with this process, however that ends. As root, it also gets its own namespaces;
 * rootless builds create them themselves.
 */
export async function contained(program: string, args: readonly string[]): Promise<ProgramCall> {
  isUnshareAllowed ??= canUnshare()
  const unshare = (await isUnshareAllowed) ? ['unshare', ...UNSHARE_ARGS] : []
  return { program: 'setpriv', args: ['--pdeathsig', 'KILL', ...unshare, program, ...args] }
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
