import { clock } from '#kernel/clock'

const DRAFT = /^\.(.+)\.[\da-f]{16}$/

/** The file name of a key. Slashes are encoded: a key may be the prefix of another. */
export function fileName(key: string): string {
  return key.replaceAll('/', '%')
}

/** The key of a file name; undefined if the file is not an object. */
export function keyOfFile(name: string): string | undefined {
  return name.startsWith('.') ? undefined : name.replaceAll('%', '/')
}

/** A unique temporary name. Keys never start with a dot. */
export function draftName(key: string): string {
  return `.${fileName(key)}.${clock.random(8).toString('hex')}`
}

/** The key of a temporary file; undefined for other files. */
export function keyOfDraft(name: string): string | undefined {
  return DRAFT.exec(name)?.[1]?.replaceAll('%', '/')
}
