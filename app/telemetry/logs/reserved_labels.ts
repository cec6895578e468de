import { LOG_FIELDS } from './log_line.js'

/** What keys of lines are called where a store has nothing but labels. */
export const KEY_LABEL = 'lineKey'

/** Labels of these names are left out: what stands beside the labels has them, and wins. */
export const RESERVED_LABELS: ReadonlySet<string> = new Set([...LOG_FIELDS, KEY_LABEL])

/** What a log store cannot keep: it has names like these itself, or cuts what is longer. */
export const LABEL_SHAPE = { longestBytes: 128, most: 256 }

/** Why a label of this name cannot be kept; undefined where it can. */
export function faultOfLabel(name: string): string | undefined {
  if (name === '' || name.startsWith('_')) {
    return 'The name of a label starts with anything but _'
  }
  return Buffer.byteLength(name) > LABEL_SHAPE.longestBytes
    ? `The name of a label has at most ${LABEL_SHAPE.longestBytes} bytes`
    : undefined
}
