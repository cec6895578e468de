import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Ended {
  /** The exit code, or the signal that ended it. */
  readonly exit: number | NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
}

export interface AceProcess {
  kill(): void
  readonly ended: Promise<Ended>
}

/** Starts a command as an administrator does at the machine, with these variables and nothing else of the environment. */
export function startAce(
  args: readonly string[],
  variables: Record<string, string>,
  input = ''
): AceProcess {
  const child = spawn(process.execPath, [join(ROOT, 'ace.js'), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...variables },
    stdio: 'pipe',
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => void (output.stdout += chunk))
  child.stderr.on('data', (chunk: Buffer) => void (output.stderr += chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return {
    kill: () => void child.kill('SIGKILL'),
    ended: once(child, 'close').then(([code, signal]) => ({ exit: code ?? signal, ...output })),
  }
}

/** Runs a command to its end. */
export const ace = (...given: Parameters<typeof startAce>): Promise<Ended> =>
  startAce(...given).ended
