const EXAMPLES = 5

/** What a drill shows, and what speaks against it. */
export interface Finding {
  readonly what: string
  readonly problems: readonly string[]
}

/** A count of zero says nothing. */
export function none(count: number): string[] {
  return count > 0 ? [] : ['there was none']
}

/** Prints the table, and lets the process fail if something was not as it should be. */
export function report(title: string, all: readonly Finding[]): void {
  console.log(`\n${title}:\n`)
  all.forEach(show)
}

/** Prints a line with yes or NO and the first problems, and lets the process fail if there are some. */
export function show({ what, problems }: Finding): void {
  console.log(`${problems.length === 0 ? 'yes' : 'NO '}  ${what}`)
  for (const problem of problems.slice(0, EXAMPLES)) {
    console.log(`       ${problem}`)
  }
  if (problems.length > EXAMPLES) {
    console.log(`       and ${problems.length - EXAMPLES} more`)
  }
  if (problems.length > 0) {
    process.exitCode = 1
  }
}
