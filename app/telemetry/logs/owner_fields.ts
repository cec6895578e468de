import type { LineOwner } from './log_line.js'

/**
 * The fields of a stored line that hold its owner. No label and no filter of a caller has such a name, since those begin
 * with a letter; stores show no such field.
 */
export const REALMS_FIELD = '_realms'
export const REPORTER_FIELD = '_reporter'

const SEPARATOR = '|'

/** The realms of a line as one text, each between separators, so that a part of the text is exactly one realm. */
export function realmsText(owner: LineOwner | undefined): string {
  const realms = owner?.realms ?? []
  return realms.length === 0 ? '' : enclosed(realms.join(SEPARATOR))
}

export const realmsOfText = (text: string): string[] =>
  text.split(SEPARATOR).filter((realmId) => realmId !== '')

/** The part of the text of realms that lines of a realm have. */
export const enclosed = (realmId: string): string => `${SEPARATOR}${realmId}${SEPARATOR}`
