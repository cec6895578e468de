import { ImageNameInvalid } from './errors.js'

const REPOSITORY = /^[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*(?:\/[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*)*$/
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^sha256:[\da-f]{64}$/
const MAX_REPOSITORY_LENGTH = 255

export const LATEST = 'latest'

export const isDigest = (text: unknown): text is string =>
  typeof text === 'string' && DIGEST.test(text)

const isTag = (text: string): boolean => TAG.test(text)

const isRepository = (text: string): boolean =>
  text.length <= MAX_REPOSITORY_LENGTH && REPOSITORY.test(text)

export function requireRepository(repository: string): void {
  if (!isRepository(repository)) {
    throw new ImageNameInvalid(
      `${quote(repository)} is not a valid repository: use lower case letters, digits, and single . _ - / between them`
    )
  }
}

function requireTag(tag: string): void {
  if (!isTag(tag)) {
    throw new ImageNameInvalid(`${quote(tag)} is not a valid tag`)
  }
}

export function requireDigest(digest: string): void {
  if (!isDigest(digest)) {
    throw new ImageNameInvalid(
      `${quote(digest)} is not a digest of the form sha256:<64 hex digits>`
    )
  }
}

export function requireReference(reference: string): void {
  if (reference.includes(':')) {
    requireDigest(reference)
  } else {
    requireTag(reference)
  }
}

export interface NamedImage {
  readonly repository: string
  readonly reference: string
}

/** Parses `python/base`, `python/base:3.12` or `python/base@sha256:…`, without a registry host. */
export function parseImageName(name: string): NamedImage {
  const at = name.indexOf('@')
  const colon = name.lastIndexOf(':')
  const [end, reference] =
    at > 0
      ? [at, name.slice(at + 1)]
      : colon > name.lastIndexOf('/')
        ? [colon, name.slice(colon + 1)]
        : [name.length, LATEST]
  const repository = name.slice(0, end)
  requireRepository(repository)
  requireReference(reference)
  return { repository, reference }
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 300))
