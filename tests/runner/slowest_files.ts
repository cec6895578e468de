const SHOWN = 10

/** Says which files took longest; `SLOWEST_FILES` says how many are named. */
export function slowestFiles(seconds: Readonly<Record<string, number>>): string {
  const shown = Number(process.env.SLOWEST_FILES ?? SHOWN)
  const slowest = Object.entries(seconds).sort(([, a], [, b]) => b - a)
  const lines = slowest
    .slice(0, shown)
    .map(([file, took]) => `${took.toFixed(1).padStart(7)} s  ${file}`)
  return ['The slowest files:', ...lines].join('\n')
}
