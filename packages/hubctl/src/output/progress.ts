import { bytes } from './bytes.js'
import { printable } from './printable.js'

export interface Progress {
  /** Sets the number of bytes transferred so far. */
  at(done: number): void
  end(message: string): void
  fail(): void
}

const SILENT: Progress = { at: () => {}, end: () => {}, fail: () => {} }

/** A progress bar; silent without a terminal. */
export async function progressOf(text: string, total: number, isQuiet: boolean): Promise<Progress> {
  if (isQuiet || !process.stderr.isTTY) {
    return SILENT
  }
  const title = printable(text)
  const { progress } = await import('@clack/prompts')
  const bar = progress({ max: Math.max(total, 1), output: process.stderr })
  bar.start(title)
  let reported = 0
  return {
    at: (done) => {
      bar.advance(done - reported, `${title}  ${bytes(done)} of ${bytes(total)}`)
      reported = done
    },
    end: (message) => bar.stop(printable(message)),
    fail: () => bar.error(title),
  }
}
