import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface ProgramOptions {
  readonly program: string
  readonly args: readonly string[]
  /** The whole environment of the program; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly signal: AbortSignal
  readonly onLine?: (line: string) => void
}

export interface ProgramResult {
  readonly code: number | null
  /** The last lines of its output. */
  readonly lastLines: readonly string[]
}

const LAST_LINES = 20
const MAX_LINE_LENGTH = 2_000

/**
 * Runs a program in its own process group and kills the group on abort. Its files are in a folder that is removed.
 * Rejects with the reason of the signal.
 */
export async function runProgram(options: ProgramOptions): Promise<ProgramResult> {
  const { program, args, env, cwd, signal, onLine } = options
  signal.throwIfAborted()
  const child = spawn(program, args, {
    env: { ...env },
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lastLines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      const text = line.slice(0, MAX_LINE_LENGTH)
      lastLines.push(text)
      lastLines.splice(0, lastLines.length - LAST_LINES)
      onLine?.(text)
    })
  }
  const kill = () => killGroup(child)
  signal.addEventListener('abort', kill, { once: true })
  try {
    const code = await exitCode(child)
    return { code, lastLines }
  } finally {
    signal.removeEventListener('abort', kill)
    killGroup(child)
    signal.throwIfAborted()
  }
}

function exitCode(child: ChildProcess): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('close', resolve)
  return promise
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) {
      process.kill(-pid, 'SIGKILL')
    }
  } catch {
    // The group has already ended.
  }
}
