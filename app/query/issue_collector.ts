import { DroppedKeys } from './dropped_keys.js'
import { QueryError, type QueryIssue } from './errors.js'

/** What comes to light while one query is read: keys that are left out, and what is wrong. */
export class IssueCollector {
  readonly dropped = new DroppedKeys()
  readonly #issues: QueryIssue[] = []

  /** Reads one parameter; what is wrong with it does not keep the others from being read. */
  attempt<Result>(read: () => Result): Result | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof QueryError)) {
        throw error
      }
      this.#issues.push(...error.issues)
      return undefined
    }
  }

  /** Ends the request when anything was wrong, naming all of it. */
  throwIfInvalid(): void {
    if (this.#issues.length > 0) {
      throw new QueryError(this.#issues, undefined, this.dropped.list())
    }
  }

  /** Whether nothing was left out or wrong so far. */
  get isClean(): boolean {
    return this.dropped.none && this.#issues.length === 0
  }
}
