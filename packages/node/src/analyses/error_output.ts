/** Buffered and reported characters of error output. */
const MAX_KEPT_LINES = 400
const MAX_REPORTED_LINES = 40
const MAX_LENGTH = 500

const TRACEBACK = /^Traceback \(most recent call last\):/
/** A place in the code of an analysis: its file, line and function. */
const PLACE = /^\s*File "[^"]{1,200}", line \d+(?:, in [\w<>.]{1,100})?/
const EXCEPTION = /^([A-Za-z_][\w.]{0,100})(?::|$)/

/** The end of the error output of a program, which explains a failure. */
export class ErrorOutput {
  readonly #lines: string[] = []

  add(line: string): void {
    if (line.trim() !== '') {
      this.#lines.push(line.slice(0, MAX_LENGTH))
    }
    if (this.#lines.length >= 2 * MAX_KEPT_LINES) {
      this.#lines.splice(0, MAX_KEPT_LINES)
    }
  }

  /**
   * The last traceback, or the last lines. Messages of exceptions may show data: without values, only the places in the
   * code and the name of the exception are included.
   */
  report(withValues: boolean): readonly string[] {
    const start = this.#lines.findLastIndex((line) => TRACEBACK.test(line))
    const trace = this.#lines.slice(start < 0 ? -MAX_REPORTED_LINES : start)
    return shortened(withValues ? trace : placesOf(trace))
  }
}

function placesOf(trace: readonly string[]): string[] {
  const last = trace.findLastIndex((line) => PLACE.test(line))
  return trace.flatMap((line, index) => {
    const place = PLACE.exec(line)?.[0]
    const name = index > last && last >= 0 ? EXCEPTION.exec(line)?.[1] : undefined
    return place ?? name ?? []
  })
}

/** The first lines show the start, the last ones the failure. */
function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_REPORTED_LINES) {
    return lines
  }
  const half = MAX_REPORTED_LINES / 2
  const dropped = lines.length - MAX_REPORTED_LINES
  return [...lines.slice(0, half), `… ${dropped} more lines …`, ...lines.slice(-half)]
}
