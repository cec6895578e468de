const MAX_IDS = 5

/** A problem of some rows, with a few of their IDs. */
export interface Finding {
  readonly problem: string
  readonly count: number
  readonly ids: readonly string[]
}

/** Takes every finding, not only the few that are shown. */
export type Recorder = (problem: string, id: string) => void

/** Collects the findings of a table in bounded memory. */
export class Findings {
  readonly #found = new Map<string, { count: number; ids: string[] }>()
  readonly #record: Recorder | undefined

  constructor(record?: Recorder) {
    this.#record = record
  }

  add(problem: string, id: string, count = 1): void {
    this.#record?.(problem, id)
    const found = this.#found.get(problem) ?? { count: 0, ids: [] }
    found.count += count
    if (found.ids.length < MAX_IDS) {
      found.ids.push(id)
    }
    this.#found.set(problem, found)
  }

  get all(): Finding[] {
    return [...this.#found].map(([problem, found]) => ({ problem, ...found }))
  }
}
