import { clock } from '#kernel/clock'

const DRAFT = /^\.(.+)\.[\da-f]{16}$/

/** The file of an object. Slashes do not make folders: a key may be the beginning of another one. */
export function fileName(key: string): string {
  return key.replaceAll('/', '%')
}

/** The key of a file, or undefined where the file is no object. */
export function keyOfFile(name: string): string | undefined {
  return name.startsWith('.') ? undefined : name.replaceAll('%', '/')
}

/** A name for an object while it is written: no key starts with a dot, and no two writers share one. */
export function draftName(key: string): string {
  return `.${fileName(key)}.${clock.random(8).toString('hex')}`
}

/** The key of what a writer left behind, or undefined where the file is something else. */
export function keyOfDraft(name: string): string | undefined {
  return DRAFT.exec(name)?.[1]?.replaceAll('%', '/')
}
