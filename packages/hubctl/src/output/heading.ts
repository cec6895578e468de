import { printable } from './printable.js'

/** The heading of a column: `createdAt` is shown as AGE, and `buildStatus` as BUILD. */
export function heading(name: string): string {
  return name === 'createdAt'
    ? 'AGE'
    : printable(name)
        .replace(/(?<=.)Status$/, '')
        .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
        .toUpperCase()
}
