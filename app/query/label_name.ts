import type { Labels } from './labels.js'

const MAX_LENGTH = 128
/** The optional prefix of a label in a filter. */
const PREFIX = 'labels.'

/** The rule of label names, which filters use. */
export const LABEL_NAME = {
  pattern: '^(?!labels[.])[A-Za-z][A-Za-z0-9_.-]{0,127}$',
  rule: `The name of a label has 1 to 128 letters (A to Z, a to z), digits, _, . or -, begins with a letter, and not with ${PREFIX}`,
}

const SHAPE = new RegExp(LABEL_NAME.pattern)

export const isLabelName = (name: string): boolean => SHAPE.test(name)

/** The label of a filter key. */
export const labelOf = (key: string): string =>
  key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key

/**
 * Normalizes labels for storage: empty values are dropped, and invalid names are replaced by similar valid ones unless
 * these exist. Names that start with _ are reserved for log stores.
 */
export function normalizeLabels(labels: Labels): Labels {
  const byName = Object.entries(labels).toSorted(
    ([a], [b]) => Number(isLabelName(b)) - Number(isLabelName(a))
  )
  const normalized = new Map<string, string>()
  for (const [original, value] of byName) {
    const name = isLabelName(original) ? original : normalizeName(original)
    if (value !== '' && name !== '' && !normalized.has(name)) {
      normalized.set(name, value)
    }
  }
  return Object.fromEntries(normalized)
}

function normalizeName(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, '_').replace(/^(?:labels\.|[^A-Za-z])+/, '')
  return name.startsWith('_') ? '' : plain.slice(0, MAX_LENGTH)
}
