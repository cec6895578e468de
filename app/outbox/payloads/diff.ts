import { hasSecretName, isScalar, type Scalar } from '#records/audited_values'
import type { Attributes } from '#records/row'

/** The changed attributes of an update by name. */
export type Diff = Readonly<Record<string, { readonly next: Scalar; readonly previous: Scalar }>>

const IGNORED_ATTRIBUTES = new Set(['createdAt', 'updatedAt', 'expiresAt'])

/**
 * The scalar attributes that differ between two versions. Omits automatic timestamps and names that suggest a secret.
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
