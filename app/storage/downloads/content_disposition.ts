import contentDisposition from 'content-disposition'

/**
 * The `Content-Disposition` header for a file name. Names that a header cannot carry as text are sent twice: with
 * replacements for old clients, and encoded in full.
 */
export function attachment(name: string, fallback: string): string {
  const base = harmlessName(name) || fallback
  return contentDisposition(base, { fallback: base.replaceAll(/[^\u0020-\u007e]/g, '?') })
}

/** A name without path separators, control characters and bidirectional overrides. */
function harmlessName(name: string): string {
  return name
    .toWellFormed()
    .replaceAll(/[/\\]/g, '_')
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, '')
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
}
