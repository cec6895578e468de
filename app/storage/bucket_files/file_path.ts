import { createHash } from 'node:crypto'

const MAX_PATH_LENGTH = 512
const MAX_NAME_LENGTH = 256

const CONTROL = /\p{Control}/u
/** They show a name as another one: behind U+202E, `fdp.exe` looks like `exe.pdf`. */
const BIDI_CONTROL = /\p{Bidi_Control}/u
const LONE_SURROGATE = /\p{Surrogate}/u

/** A path and its parts, as the record of a file stores them. */
export interface FilePath {
  readonly path: string
  readonly name: string
  readonly directory: string
}

/** Why a path is invalid, as a phrase for the caller; undefined if it is valid. */
export function pathProblem(path: string): string | undefined {
  if (path === '') {
    return 'is empty'
  }
  if (path.length > MAX_PATH_LENGTH) {
    return `is longer than ${MAX_PATH_LENGTH} characters`
  }
  if (path.startsWith('/')) {
    return 'starts with a slash'
  }
  if (path.endsWith('/')) {
    return 'ends with a slash'
  }
  if (CONTROL.test(path)) {
    return 'has control characters in it'
  }
  if (BIDI_CONTROL.test(path)) {
    return 'has characters in it that change the direction of text'
  }
  if (LONE_SURROGATE.test(path)) {
    return 'is not valid Unicode'
  }
  const segments = path.split('/')
  if (segments.includes('..')) {
    return 'leads out of its bucket'
  }
  if (segments.at(-1) === '.') {
    return 'names no file'
  }
  if (segments.at(-1)!.length > MAX_NAME_LENGTH) {
    return `has a name of more than ${MAX_NAME_LENGTH} characters`
  }
  return undefined
}

/** Splits a path into the parts that the record of a file stores. */
export function filePath(path: string): FilePath {
  const slash = path.lastIndexOf('/')
  return {
    path,
    name: path.slice(slash + 1),
    directory: slash === -1 ? '.' : path.slice(0, slash),
  }
}

/**
 * A path that is safe to unpack. Valid paths are unchanged. Others, which only older files have, are sanitized and
 * marked with a hash, so that they cannot replace a file with that name.
 */
export function safePath(path: string): string {
  const isSafe = pathProblem(path) === undefined
  if (isSafe) {
    return path
  }
  const safe = path
    .toWellFormed()
    .replaceAll(/[\p{Control}\p{Bidi_Control}]/gu, '_')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .map((segment) => (segment === '..' ? '__' : segment))
    .join('/')
  const mark = createHash('sha256').update(path).digest('hex').slice(0, 8)
  return `${safe || 'unnamed'}~${mark}`
}
