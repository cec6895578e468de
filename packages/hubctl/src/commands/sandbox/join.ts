import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { programFile } from '#hubctl/sandbox/node_part'
import { isolationArguments, type IsolationOption } from './up.js'

/** Runs a node in this terminal. Ctrl-C reaches it as well, so this process only waits for its end. */
export async function joinHub(
  { options }: Invocation<IsolationOption>,
  settings: string
): Promise<ExitCode> {
  const args = [programFile(), 'run', resolve(settings), ...isolationArguments(options)]
  const node = spawn(process.execPath, args, { stdio: 'inherit' })
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => node.kill('SIGTERM'))
  const [code] = (await once(node, 'exit')) as [number | null]
  return code === 0 ? EXIT.done : EXIT.failed
}
