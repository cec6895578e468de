import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure, report } from './failure.mjs'
import { findNode } from './node.mjs'
import { prepare } from './prepare.mjs'
import { endWithParent } from './processes.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs a built program in the current terminal: in this process if its Node.js is new enough. */
export async function runHere(program, args) {
  const file = join(root, program)
  try {
    await prepare(root, { built: true })
    const node = findNode(root)
    if (realpathSync(node) === realpathSync(process.execPath)) {
      await import(file)
    } else {
      await handOver(node, [file, ...args])
    }
  } catch (error) {
    if (!(error instanceof Failure)) {
      throw error
    }
    report(error.message)
    process.exitCode = error.exitCode
  }
}

/** Runs the program on another Node.js. Both receive Ctrl-C from the terminal, so this process only waits. */
export async function handOver(node, args) {
  const [command, ...rest] = [...endWithParent(), node, ...args]
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal))
  }
  const child = spawn(command, rest, { stdio: 'inherit' })
  process.exitCode = await new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Failure(`${node} cannot be run (${error.message}).`)))
    child.on('exit', (code, signal) => resolve(signal ? 128 + constants.signals[signal] : code))
  })
}
