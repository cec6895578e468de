import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { Failure } from './failure.mjs'

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']

/** Signals that end a step of the preparation. */
const ending = new Set(forwarded)

/** Ctrl-C may arrive twice: from the terminal and from npm. */
const repeatedWithin = 500
const repeated = ['SIGINT', 'SIGTERM']

/** Ignores SIGHUP until a program that reloads on it runs. */
export function outliveHangups() {
  ending.delete('SIGHUP')
  process.on('SIGHUP', () => {})
}

/**
 * Runs a program, forwards signals to it, and resolves to its exit code. The program runs in its own session, so
 * that Ctrl-C reaches it once, from here, and not from the terminal as well.
 */
export function runToEnd(file, args, options = {}, signals = forwarded) {
  const [command, ...rest] = [...endWithParent(), file, ...args]
  const child = spawn(command, rest, { stdio: 'inherit', detached: true, ...options })
  const stopForwarding = forwardSignals(child, signals)
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Failure(`${file} cannot be run (${error.message}).`)))
    child.on('exit', (code, signal) => {
      endGroup(child.pid)
      resolve(signal ? 128 + constants.signals[signal] : code)
    })
  }).finally(stopForwarding)
}

/** Runs a step of the preparation; throws if it fails or this process receives a signal. */
export async function runStep(file, args, options, failure) {
  let received
  const remember = (signal) => (received = signal)
  for (const signal of ending) {
    process.once(signal, remember)
  }
  const code = await runToEnd(file, args, options, [...ending])
  for (const signal of ending) {
    process.off(signal, remember)
  }
  if (received) {
    throw new Failure('Ended before the hub was ready.', 128 + constants.signals[received])
  }
  if (code !== 0) {
    throw new Failure(failure)
  }
}

/** Prepends the programs that npm installed to PATH, so that a nested `node` is the Node.js of the hub. */
export function programEnvironment(root) {
  const programs = join(root, 'node_modules/.bin')
  return { ...process.env, PATH: [programs, process.env.PATH].filter(Boolean).join(delimiter) }
}

/** Lets the kernel end a child whose parent was killed. */
export function endWithParent() {
  const prefix = ['setpriv', '--pdeathsig', 'TERM', '--']
  const { status } = spawnSync(prefix[0], [...prefix.slice(1), 'true'], { stdio: 'ignore' })
  return status === 0 ? prefix : []
}

function forwardSignals(child, signals) {
  const lastAt = new Map()
  const forward = (signal) => {
    const now = performance.now()
    if (repeated.includes(signal) && now - (lastAt.get(signal) ?? -Infinity) < repeatedWithin) {
      return
    }
    lastAt.set(signal, now)
    child.kill(signal)
  }
  for (const signal of signals) {
    process.on(signal, forward)
  }
  return () => signals.forEach((signal) => process.off(signal, forward))
}

/** Ends helper processes that the program left in its session. */
function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGTERM')
  } catch {
    // Usually no process is left.
  }
}
