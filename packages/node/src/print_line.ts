/** Prints one line for the operator. */
export const printLine = (line: string): void => {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`)
}
