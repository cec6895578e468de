/** What was measured, each beside its limit. */
export class Figures {
  #isMet = true

  /** Whether none missed its limit. */
  get isMet(): boolean {
    return this.#isMet
  }

  atLeast(what: string, value: number, least: number, unit = ''): void {
    this.#say(what, value, unit, value >= least, `at least ${rounded(least)}`)
  }

  atMost(what: string, value: number, most: number, unit = ''): void {
    this.#say(what, value, unit, value <= most, `at most ${rounded(most)}`)
  }

  /** For what has no limit. */
  note(what: string): void {
    console.log(what)
  }

  #say(what: string, value: number, unit: string, isMet: boolean, limit: string): void {
    this.#isMet &&= isMet
    console.log(`${what}: ${rounded(value)}${unit} (${limit})${isMet ? '' : ' MISSED'}`)
  }
}

function rounded(value: number): string {
  return value < 100 ? value.toPrecision(3) : Math.round(value).toLocaleString('en')
}

/** What a share of some times were below. */
export function within(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!
}
