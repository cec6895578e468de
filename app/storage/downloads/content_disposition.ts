const NOT_PLAIN = /[^\u0020-\u007e]|%/
const NOT_ATTRIBUTE = /[^A-Za-z\d!#$&+.^_`|~-]/g

/**
 * The header that has a browser save what follows under a name, whatever is in that name. Names that plain header text cannot
 * carry come twice: for old readers without what they would not understand, and in full.
 */
export function attachment(name: string, fallback: string): string {
  const base = baseName(name) || fallback
  const plain = base.replaceAll(/[^\u0020-\u007e]/g, '?').replaceAll(/["\\]/g, '\\$&')
  const header = `attachment; filename="${plain}"`
  return NOT_PLAIN.test(base) ? `${header}; filename*=UTF-8''${encoded(base)}` : header
}

/** What is left of a name where nothing in it may mean a folder or end a header. */
function baseName(name: string): string {
  return name
    .toWellFormed()
    .replaceAll(/[/\\]/g, '_')
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, '')
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(NOT_ATTRIBUTE, (character) =>
    character === '%' ? '%' : `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
}
