import { hasSecretName, isScalar, type Scalar } from '#records/audited_values'
import type { Attributes } from '#records/row'

/** What an update changed, by the name of the attribute. */
export type Diff = Readonly<Record<string, { readonly next: Scalar; readonly previous: Scalar }>>

const IGNORED_ATTRIBUTES = new Set(['createdAt', 'updatedAt', 'expiresAt'])

/**
 * The attributes that differ between two versions of a record, where both are plain values. Times that change by themselves
 * and whatever bears the name of a secret are not among them.
 */
export function diffOf(previous: Attributes, next: Attributes): Diff {
  const names = Object.keys(next).filter(
    (name) => !IGNORED_ATTRIBUTES.has(name) && !hasSecretName(name)
  )
  const pairs = names.flatMap((name) => {
    const pair = { next: next[name] ?? null, previous: previous[name] ?? null }
    const differs = isScalar(pair.next) && isScalar(pair.previous) && pair.next !== pair.previous
    return differs ? [[name, pair] as const] : []
  })
  return Object.fromEntries(pairs) as Diff
}
