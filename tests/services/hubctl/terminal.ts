import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'

import { eventually } from '#tests/helpers/eventually'
import { environmentOf, PROGRAM, type Machine } from './hubctl.js'

const SOON_MS = 60_000

/** hubctl on a terminal of eighty columns and twenty-four rows, and somebody who types. */
export class Terminal {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #ended: Promise<number | null>
  #written = ''

  static open(machine: Machine, args: readonly string[]): Terminal {
    const words = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`)
    const command = `stty cols 80 rows 24; exec ${words.join(' ')}`
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: machine.home,
      env: { ...environmentOf(machine.home), TERM: 'xterm-256color', SHELL: '/bin/sh' },
    })
    return new Terminal(child)
  }

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child
    this.#ended = once(child, 'exit').then(([code]) => code as number | null)
    child.stdout.on('data', (chunk: Buffer) => (this.#written += chunk))
  }

  /** All that was written, as it came. */
  get written(): string {
    return this.#written
  }

  /** Its lines without colours. */
  get lines(): string[] {
    return stripVTControlCharacters(this.#written).split(/[\r\n]+/)
  }

  async until(pattern: RegExp): Promise<void> {
    await eventually(() => pattern.test(this.lines.join('\n')), SOON_MS)
  }

  type(text: string): void {
    this.#child.stdin.write(text)
  }

  /** What it ended with. */
  end(): Promise<number | null> {
    return this.#ended
  }
}
