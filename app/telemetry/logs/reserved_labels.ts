import { LOG_FIELDS } from './log_line.js'

/** The label that holds the key in stores that have only labels. */
export const KEY_LABEL = 'lineKey'

/** Labels with these names are dropped: fields of the same names take precedence. */
export const RESERVED_LABELS: ReadonlySet<string> = new Set([...LOG_FIELDS, 'time', KEY_LABEL])

export const MAX_LABELS = 256
