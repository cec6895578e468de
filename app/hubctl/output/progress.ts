import { bytes } from './bytes.js'
import { shown } from './shown.js'

export interface Progress {
  /** So many bytes are through, in all. */
  at(done: number): void
  end(message: string): void
  fail(): void
}

const SILENT: Progress = { at: () => {}, end: () => {}, fail: () => {} }

/** A bar on the terminal, for somebody who waits there. */
export async function progressOf(text: string, total: number, isQuiet: boolean): Promise<Progress> {
  if (isQuiet || !process.stderr.isTTY) {
    return SILENT
  }
  const title = shown(text)
  const { progress } = await import('@clack/prompts')
  const bar = progress({ max: Math.max(total, 1), output: process.stderr })
  bar.start(title)
  let seen = 0
  return {
    at: (done) => {
      bar.advance(done - seen, `${title}  ${bytes(done)} of ${bytes(total)}`)
      seen = done
    },
    end: (message) => bar.stop(shown(message)),
    fail: () => bar.error(title),
  }
}
