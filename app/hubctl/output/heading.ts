/** What stands above a column: `createdAt` is shown as an age. */
export function heading(name: string): string {
  return name === 'createdAt'
    ? 'AGE'
    : name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toUpperCase()
}
