import { printable } from '#hubctl/output/printable'
import type { Output } from '#hubctl/output/output'
import { styled } from '#hubctl/output/styled'

const FIRST_PAUSE_MS = 4_000

/** Shows what a run does, a line for each step with the seconds since its start. */
export class RunProgress {
  readonly #output: Output
  readonly #startedAt = Date.now()
  readonly #shown = new Set<string>()
  #last = ''
  #lastAt = 0
  #pauseMs = FIRST_PAUSE_MS

  constructor(output: Output) {
    this.#output = output
  }

  step(text: string): void {
    this.#last = text
    this.#pauseMs = FIRST_PAUSE_MS
    this.#show(text)
  }

  /** Shows a text only once. */
  state(text: string): void {
    if (!this.#shown.has(text)) {
      this.#shown.add(text)
      this.step(text)
    }
  }

  /** Repeats the last step while nothing else happens, after pauses that double: an approval may take days. */
  wait(): void {
    if (Date.now() - this.#lastAt >= this.#pauseMs) {
      this.#pauseMs *= 2
      this.#show(`Still: ${this.#last}`)
    }
  }

  #show(text: string): void {
    this.#lastAt = Date.now()
    const seconds = ((this.#lastAt - this.#startedAt) / 1000).toFixed(1).padStart(6)
    this.#output.note(`${styled('dim', `${seconds} s`)}  ${printable(text)}`)
  }
}
