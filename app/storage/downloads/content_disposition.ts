import contentDisposition from 'content-disposition'

/**
 * The header that has a browser save what follows under a name, whatever is in that name. Names that plain header text cannot
 * carry come twice: for old readers without what they would not understand, and in full.
 */
export function attachment(name: string, fallback: string): string {
  const base = harmlessName(name) || fallback
  return contentDisposition(base, { fallback: base.replaceAll(/[^\u0020-\u007e]/g, '?') })
}

/** What is left of a name where nothing in it may mean a folder or end a header. */
function harmlessName(name: string): string {
  return name
    .toWellFormed()
    .replaceAll(/[/\\]/g, '_')
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, '')
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
}
