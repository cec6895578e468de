import { LOG_FIELDS } from './log_line.js'

/** What keys of lines are called where a store has nothing but labels. */
export const KEY_LABEL = 'lineKey'

/** Labels of these names are left out: what stands beside the labels has them, and wins. */
export const RESERVED_LABELS: ReadonlySet<string> = new Set([...LOG_FIELDS, 'time', KEY_LABEL])

export const MAX_LABELS = 256
