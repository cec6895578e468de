import { bytes } from './bytes.js'

export interface Progress {
  /** So many bytes are through, in all. */
  at(done: number): void
  end(message: string): void
  fail(): void
}

const SILENT: Progress = { at: () => {}, end: () => {}, fail: () => {} }

/** A bar on the terminal, for somebody who waits there. */
export async function progressOf(
  title: string,
  total: number,
  isQuiet: boolean
): Promise<Progress> {
  if (isQuiet || !process.stderr.isTTY) {
    return SILENT
  }
  const { progress } = await import('@clack/prompts')
  const bar = progress({ max: Math.max(total, 1), output: process.stderr })
  bar.start(title)
  let shown = 0
  return {
    at: (done) => {
      bar.advance(done - shown, `${title}  ${bytes(done)} of ${bytes(total)}`)
      shown = done
    },
    end: (message) => bar.stop(message),
    fail: () => bar.error(title),
  }
}
