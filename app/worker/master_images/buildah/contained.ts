import { runProgram } from './run_program.js'

/** What is needed to begin a program so that nothing of it outlives it, nor us. */
interface ProgramCall {
  readonly program: string
  readonly args: readonly string[]
}

/** Processes and mounts of its own, all of which the kernel ends with the first of them. */
const UNSHARE_ARGS = [
  ...['--mount', '--propagation', 'private', '--mount-proc'],
  ...['--pid', '--fork', '--kill-child=KILL'],
]

const NEVER = new AbortController().signal

let isUnshareAllowed: Promise<boolean> | undefined

/**
 * A program that ends when this process does, however that ends: nobody would wait for what it makes. As root it is put apart from the
 * processes and mounts of the machine as well; anybody else's builds do that by themselves.
 */
export async function contained(program: string, args: readonly string[]): Promise<ProgramCall> {
  isUnshareAllowed ??= canUnshare()
  const unshare = (await isUnshareAllowed) ? ['unshare', ...UNSHARE_ARGS] : []
  return { program: 'setpriv', args: ['--pdeathsig', 'KILL', ...unshare, program, ...args] }
}

/** Root of a container may not have the right to it. */
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
