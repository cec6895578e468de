import {
  issue,
  QueryError,
  type DroppedKey,
  type IssueCode,
  type QueryParameter,
} from './errors.js'

export type { DroppedKey }

const HEADER_LIMIT = 2048

/** Collects ignored keys in order, without duplicates. */
export class DroppedKeys {
  readonly #keys = new Map<string, DroppedKey>()

  add(parameter: QueryParameter, key: string, reason: IssueCode): void {
    const name = `${parameter}.${key}`
    if (!this.#keys.has(name)) {
      this.#keys.set(name, { parameter, key, reason })
    }
  }

  get none(): boolean {
    return this.#keys.size === 0
  }

  list(): readonly DroppedKey[] {
    return this.none ? NOTHING : Object.freeze([...this.#keys.values()])
  }
}

const NOTHING: readonly DroppedKey[] = Object.freeze([])

/** The value of `X-Dropped-Keys`. Keys are encoded, so that clients cannot inject header content. */
export function droppedKeysHeader(dropped: readonly DroppedKey[]): string {
  let header = ''
  for (const { parameter, key } of dropped) {
    const name = key === '' ? parameter : `${parameter}.${visible(key)}`
    const longer = header === '' ? name : `${header}, ${name}`
    if (longer.length > HEADER_LIMIT) {
      return header
    }
    header = longer
  }
  return header
}

/** The error of strict mode for ignored keys. */
export function droppedKeysError(dropped: readonly DroppedKey[]): QueryError {
  return new QueryError(
    dropped.map(({ parameter, key, reason }) =>
      key === ''
        ? issue(parameter, reason)
        : issue(parameter, reason, { path: key.split('.'), key })
    )
  )
}

function visible(key: string): string {
  return key.toWellFormed().replace(/[^\w.$:!*'()[\]~-]/gu, encodeURIComponent)
}
