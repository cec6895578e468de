import type { IssueCode } from './errors.js'
import { PATH_LIMIT } from './key_path.js'
import type { Schema } from './schema.js'

export type Walk =
  | { readonly schema: Schema }
  | { readonly schema?: undefined; readonly reason: IssueCode; readonly path: readonly string[] }

/** The relations that keys may traverse: all of the kind or, if the client sends `include`, only the included ones. */
export class RelationScope {
  readonly #included: ReadonlySet<string> | undefined

  constructor(included?: Iterable<string>) {
    this.#included = included && new Set(included)
  }

  walk(root: Schema, path: readonly string[]): Walk {
    let schema = root
    let reached = ''
    for (const [depth, segment] of path.entries()) {
      const next = depth < PATH_LIMIT ? schema.related(segment) : undefined
      if (next === undefined) {
        return { reason: 'keyPathInvalid', path: path.slice(0, depth + 1) }
      }
      reached = depth === 0 ? segment : `${reached}.${segment}`
      if (this.#included && !this.#included.has(reached)) {
        return { reason: 'keyPathNotAllowed', path: [segment] }
      }
      schema = next
    }
    return { schema }
  }
}
