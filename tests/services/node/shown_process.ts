import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'

import { eventually } from '#tests/helpers/eventually'

const READY_MS = 600_000

/** A process whose output can be read while it runs. */
export class ShownProcess {
  printed = ''

  constructor(readonly child: ChildProcessWithoutNullStreams) {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => (this.printed += text.toString()))
    }
  }

  /** Returns when it has printed a text; throws if it ends before. */
  async shows(text: string): Promise<void> {
    await eventually(() => {
      if (this.child.exitCode !== null) {
        throw new Error(`It ended before it printed "${text}": ${this.printed}`)
      }
      return this.printed.includes(text)
    }, READY_MS)
  }

  /** Resolves with the exit code, or null if a signal ended it. */
  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      await once(this.child, 'exit')
    }
    return this.child.exitCode
  }

  async end(): Promise<void> {
    this.child.kill('SIGTERM')
    await this.ended()
  }
}
