import { printable } from './printable.js'

/** What stands above a column: `createdAt` is shown as an age, `buildStatus` is how the build stands. */
export function heading(name: string): string {
  return name === 'createdAt'
    ? 'AGE'
    : printable(name)
        .replace(/(?<=.)Status$/, '')
        .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
        .toUpperCase()
}
