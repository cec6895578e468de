import { spawn, type ChildProcess } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { NodeRequest } from './run_node.js'

const PROGRAM = fileURLToPath(new URL(`./node_program${extname(import.meta.url)}`, import.meta.url))

/** Starts a node as a process that always ends with this one. */
export function startNode(request: NodeRequest): ChildProcess {
  const command = [process.execPath, ...process.execArgv, PROGRAM, JSON.stringify(request)]
  return spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}
