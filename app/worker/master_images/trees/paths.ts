import { SourceRejected } from './source_errors.js'

const MAX_LENGTH = 1_024
const MAX_DEPTH = 64

/** Splits a path into its segments. Throws if it could leave the folder it is unpacked to. */
export function namesOf(path: string): string[] {
  const names = path.split('/').filter((name, index) => name !== '' || index === 0)
  if (names[0] === '.') {
    names.shift()
  }
  const isInvalid =
    path.length > MAX_LENGTH ||
    names.length > MAX_DEPTH ||
    hasControls(path) ||
    names.some(isUnsafe)
  if (isInvalid) {
    throw new SourceRejected(`${quote(path)} is not a safe path`)
  }
  return names
}

/**
 * Rejects links that may leave the tree. `..` is allowed only at the beginning: after a name it could lead anywhere,
 * since the name may be a link.
 */
export function requireInside(path: string, target: string): void {
  const steps = target.split('/')
  const up = steps.findIndex((step) => step !== '..')
  const down = up === -1 ? [] : steps.slice(up)
  const depth = path.split('/').length - 1
  const isOutside =
    target === '' ||
    target.length > MAX_LENGTH ||
    target.startsWith('/') ||
    hasControls(target) ||
    steps.length - down.length > depth ||
    down.includes('..')
  if (isOutside) {
    throw new SourceRejected(`the link ${quote(path)} leads to ${quote(target)}`)
  }
}

const isUnsafe = (name: string) => name === '' || name === '.' || name === '..'

// eslint-disable-next-line no-control-regex
const hasControls = (text: string) => /[\u0000-\u001f\u007f]/.test(text)

const quote = (text: string) => JSON.stringify(text.slice(0, 200))
