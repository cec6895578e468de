import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MARK = 'ANALYSIS_HUB_OWN_NETWORK'
const NAMESPACES = ['--net', '--mount', '--ipc', '--pid', '--propagation=private', '--mount-proc']
/** The kernel ends all processes with this one, which also takes note of those that have lost their parent. */
const FIRST_PROCESS = ['sh', '-c', '"$@" & wait $!', 'sh']

/** Whether this process is the one that `runInOwnNetwork` started. */
export const isInOwnNetwork = (): boolean => process.env[MARK] !== undefined

/**
 * Runs this program once more in namespaces of its own, in which no network reaches this machine or others. Its processes and
 * mounts end with it. Resolves to its exit code.
 */
export async function runInOwnNetwork(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-machines-'))
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const args = [...NAMESPACES, '--fork', '--kill-child', '--', ...FIRST_PROCESS, ...again]
  const env = { ...process.env, [MARK]: folder, TMPDIR: folder }
  const child = spawn('unshare', args, { env, stdio: 'inherit' })
  const end = () => void child.kill('SIGKILL')
  process.on('SIGINT', end).on('SIGTERM', end)
  try {
    const [code] = await once(child, 'exit')
    return code ?? 1
  } finally {
    await rmdir(folder)
  }
}

/** An empty folder over which the program in its own network may mount. */
export const ownFolder = (): string => process.env[MARK]!
