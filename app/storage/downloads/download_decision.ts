import type { ByteRange } from '#storage/objects/object_store'

/** The conditional headers of a request, with names in lower case. */
export interface ConditionalHeaders {
  readonly 'range'?: string
  readonly 'if-range'?: string
  readonly 'if-match'?: string
  readonly 'if-none-match'?: string
  readonly 'if-modified-since'?: string
  readonly 'if-unmodified-since'?: string
}

/** The current version of a file. */
export interface Version {
  readonly size: number
  /** Strong, with quotes; see `entityTag`. */
  readonly etag: string
  readonly modifiedAt: Date
}

export type DownloadDecision =
  | { readonly status: 200 }
  | { readonly status: 206; readonly range: ByteRange }
  | { readonly status: 304 }
  | { readonly status: 412 }
  | { readonly status: 416 }

const FULL: DownloadDecision = { status: 200 }
const RANGE = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i

/**
 * Decides how to answer a GET or HEAD. Conditions are evaluated in the order of RFC 9110, section 13.2.2. Multiple
 * ranges and other units are answered with the whole file, as the RFC allows.
 */
export function decideDownload(
  method: string,
  headers: ConditionalHeaders,
  version: Version
): DownloadDecision {
  if (!meetsPreconditions(headers, version)) {
    return { status: 412 }
  }
  if (isUnchanged(headers, version)) {
    return { status: 304 }
  }
  const { range } = headers
  if (method !== 'GET' || range === undefined || !isSameVersion(headers['if-range'], version)) {
    return FULL
  }
  return decideRange(range, version.size)
}

/** The strong entity tag of a digest or another unique key. The compressed form has a tag of its own. */
export function entityTag(digest: string, encoding?: 'gzip'): string {
  return encoding ? `"${digest}-${encoding}"` : `"${digest}"`
}

/** The `Content-Range` of a part, or of an unsatisfiable range. */
export function contentRange(size: number, range?: ByteRange): string {
  return range ? `bytes ${range.start}-${range.end}/${size}` : `bytes */${size}`
}

function decideRange(header: string, size: number): DownloadDecision {
  const [, first = '', last = ''] = RANGE.exec(header) ?? []
  if (first === '' && last === '') {
    return FULL
  }
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0
      ? { status: 416 }
      : { status: 206, range: { start: size - length, end: size - 1 } }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) {
    return FULL
  }
  return start >= size ? { status: 416 } : { status: 206, range: { start, end } }
}

function meetsPreconditions(headers: ConditionalHeaders, { etag, modifiedAt }: Version): boolean {
  const match = headers['if-match']
  if (match !== undefined) {
    return match.trim() === '*' || parseTags(match).some((tag) => isStrong(tag) && tag === etag)
  }
  const limit = parseDate(headers['if-unmodified-since'])
  return limit === undefined || seconds(modifiedAt) <= limit
}

function isUnchanged(headers: ConditionalHeaders, { etag, modifiedAt }: Version): boolean {
  const match = headers['if-none-match']
  if (match !== undefined) {
    return match.trim() === '*' || parseTags(match).some((tag) => opaqueTag(tag) === etag)
  }
  const limit = parseDate(headers['if-modified-since'])
  return limit !== undefined && seconds(modifiedAt) <= limit
}

/** Whether `If-Range` matches this version. */
function isSameVersion(condition: string | undefined, { etag, modifiedAt }: Version): boolean {
  if (condition === undefined) {
    return true
  }
  const [tag] = parseTags(condition)
  if (tag !== undefined) {
    return tag === etag
  }
  return parseDate(condition) === seconds(modifiedAt)
}

function parseTags(header: string): string[] {
  return header.match(/(?:W\/)?"[\u0021\u0023-\u007e\u0080-\uffff]*"/g) ?? []
}

function isStrong(tag: string): boolean {
  return !tag.startsWith('W/')
}

function opaqueTag(tag: string): string {
  return isStrong(tag) ? tag : tag.slice(2)
}

/** Headers have a precision of seconds. Invalid dates are ignored. */
function parseDate(header: string | undefined): number | undefined {
  const milliseconds = header === undefined ? Number.NaN : Date.parse(header)
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
