import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

const EVENTS = 'instructions:u,instructions:k'
const [CONTROL, ANSWERS] = [3, 4]

/**
 * How many instructions some processes take while work is done. Unlike processor time, they are hardly more or fewer because of
 * whatever else the machine does. Undefined where nothing counts them: `perf` is not installed, or may not do it here.
 */
export async function instructionsDuring(
  pids: readonly number[],
  work: () => Promise<void>
): Promise<number | undefined> {
  const perf = new Perf(pids)
  if (!(await perf.does('enable'))) {
    await work()
    return undefined
  }
  await work()
  await perf.does('disable')
  return perf.end()
}

class Perf {
  readonly #process: ChildProcess
  readonly #isGone: Promise<boolean>
  #output = ''

  constructor(pids: readonly number[]) {
    const options = ['stat', '-x,', '-e', EVENTS, '-p', pids.join(','), '--delay=-1']
    this.#process = spawn('perf', [...options, `--control=fd:${CONTROL},${ANSWERS}`], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    })
    this.#isGone = once(this.#process, 'close').then(
      () => false,
      () => false
    )
    this.#process.stderr!.on('data', (chunk) => (this.#output += chunk))
    this.#process.stdio[CONTROL]!.on('error', () => {})
  }

  /** Whether the command was acknowledged. */
  does(command: string): Promise<boolean> {
    const answers = this.#process.stdio[ANSWERS] as Readable
    const isDone = once(answers, 'data').then(() => true)
    const control = this.#process.stdio[CONTROL] as Writable
    control.write(`${command}\n`)
    return Promise.race([isDone, this.#isGone])
  }

  async end(): Promise<number> {
    this.#process.kill('SIGINT')
    await this.#isGone
    const counts = [...this.#output.matchAll(/^(\d+),,instructions/gm)]
    return counts.reduce((sum, [, count]) => sum + Number(count), 0)
  }
}
