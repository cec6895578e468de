import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { eventually } from './eventually.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LOADER = new URL('../../bin/bootstrap/typescript.mjs', import.meta.url).href

/** A command of Ace in a process of its own, with what it has printed so far. */
export class Ace {
  readonly #child
  readonly ended: Promise<{ code: number | null; output: string }>
  #output = ''

  static start(args: readonly string[], variables: NodeJS.ProcessEnv): Ace {
    return new Ace(args, variables)
  }

  static run(args: readonly string[], variables: NodeJS.ProcessEnv) {
    return new Ace(args, variables).ended
  }

  private constructor(args: readonly string[], variables: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [`--import=${LOADER}`, 'bin/console.ts', ...args], {
      cwd: ROOT,
      env: { ...process.env, NODE_ENV: 'development', ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const keep = (chunk: Buffer) => void (this.#output += chunk)
    this.#child.stdout.on('data', keep)
    this.#child.stderr.on('data', keep)
    this.ended = once(this.#child, 'close').then(([code]) => ({ code, output: this.#output }))
  }

  get output(): string {
    return this.#output
  }

  /** Waits until the output contains a text, or the command has ended. */
  async untilOutput(text: string): Promise<void> {
    let isOver = false
    void this.ended.then(() => (isOver = true))
    await eventually(() => isOver || this.#output.includes(text), 60_000)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }
}
