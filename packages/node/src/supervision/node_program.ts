/*
 * The node itself, started by a supervisor. It sends its heartbeats from its event loop, so that they stop when the
 * loop hangs.
 */
import { HubUnavailable } from '#node/errors'
import { runNode, type NodeRequest } from './run_node.js'
import { UNAVAILABLE_CODE, type NodeSignal } from './supervisor.js'

const ALIVE_EVERY_MS = 500
/** The maximum number of heartbeats that wait for a slow supervisor. */
const MAX_UNSENT = 8

let unsent = 0
const signal = (name: NodeSignal): void => {
  if (process.connected && unsent < MAX_UNSENT) {
    unsent += 1
    process.send!(name, () => (unsent -= 1))
  }
}

const timer = setInterval(() => signal('alive'), ALIVE_EVERY_MS)
try {
  await runNode(JSON.parse(process.argv[2]!) as NodeRequest, () => signal('ready'))
} catch (error) {
  process.stderr.write(`Error: ${(error as Error).message}\n`)
  process.exitCode = error instanceof HubUnavailable ? UNAVAILABLE_CODE : 1
} finally {
  clearInterval(timer)
  process.disconnect()
}
