import type { Labels } from './labels.js'

const MAX_LENGTH = 128
/** What may stand before the name of a label where one is asked for. */
const PREFIX = 'labels.'

/** What labels are called, which is what they are asked for by. */
export const LABEL_NAME = {
  pattern: '^(?!labels[.])[A-Za-z][A-Za-z0-9_.-]{0,127}$',
  rule: `The name of a label has 1 to 128 letters (A to Z, a to z), digits, _, . or -, begins with a letter, and not with ${PREFIX}`,
}

const SHAPE = new RegExp(LABEL_NAME.pattern)

export const isLabelName = (name: string): boolean => SHAPE.test(name)

/** The label that a key of a filter asks for. */
export const labelOf = (key: string): string =>
  key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key

/**
 * The labels that are kept of these: one without a value is none, and one whose name could not be asked for gets a name like it,
 * unless another label has that. Names that begin with _ are those of log stores.
 */
export function normalizeLabels(labels: Labels): Labels {
  const byName = Object.entries(labels).toSorted(
    ([a], [b]) => Number(isLabelName(b)) - Number(isLabelName(a))
  )
  const normalized = new Map<string, string>()
  for (const [given, value] of byName) {
    const name = isLabelName(given) ? given : normalizeName(given)
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
