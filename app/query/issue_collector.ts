import { DroppedKeys } from './dropped_keys.js'
import { QueryError, type QueryIssue } from './errors.js'

/** Collects the ignored keys and issues of a query. */
export class IssueCollector {
  readonly dropped = new DroppedKeys()
  readonly #issues: QueryIssue[] = []

  /** Decodes one parameter. Its issues do not prevent decoding the others. */
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

  /** Throws one error with all issues. */
  throwIfInvalid(): void {
    if (this.#issues.length > 0) {
      throw new QueryError(this.#issues, undefined, this.dropped.list())
    }
  }

  /** Whether there are no issues and no ignored keys so far. */
  get isClean(): boolean {
    return this.dropped.none && this.#issues.length === 0
  }
}
