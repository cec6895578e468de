import { printable } from '#hubctl/output/printable'
import type { Output } from '#hubctl/output/output'
import { styled } from '#hubctl/output/styled'

/** Shows what a run does, a line for each step with the seconds since its start. */
export class RunProgress {
  readonly #output: Output
  readonly #startedAt = Date.now()
  readonly #shown = new Set<string>()

  constructor(output: Output) {
    this.#output = output
  }

  step(text: string): void {
    const seconds = ((Date.now() - this.#startedAt) / 1000).toFixed(1).padStart(6)
    this.#output.note(`${styled('dim', `${seconds} s`)}  ${printable(text)}`)
  }

  /** Shows a text only once. */
  state(text: string): void {
    if (!this.#shown.has(text)) {
      this.#shown.add(text)
      this.step(text)
    }
  }
}
