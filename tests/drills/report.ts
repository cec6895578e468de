const EXAMPLES = 5

/** One line of the table at the end of a drill. */
export interface Finding {
  readonly what: string
  readonly problems: readonly string[]
}

/** Prints the table, and lets the process fail if something was not as it should be. */
export function report(title: string, all: readonly Finding[]): void {
  console.log(`\n${title}:\n`)
  for (const { what, problems } of all) {
    console.log(`${problems.length === 0 ? 'yes' : 'NO '}  ${what}`)
    for (const problem of problems.slice(0, EXAMPLES)) {
      console.log(`       ${problem}`)
    }
    if (problems.length > EXAMPLES) {
      console.log(`       and ${problems.length - EXAMPLES} more`)
    }
  }
  process.exitCode = all.every(({ problems }) => problems.length === 0) ? 0 : 1
}
