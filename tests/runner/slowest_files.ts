import type { Costs } from './costs.js'

const SHOWN = 10

/** Says which files took longest; `SLOWEST_FILES` says how many are named. */
export function slowestFiles(costs: Costs): string {
  const shown = Number(process.env.SLOWEST_FILES ?? SHOWN)
  const slowest = Object.entries(costs).sort(([, a], [, b]) => b.seconds - a.seconds)
  const lines = slowest
    .slice(0, shown)
    .map(
      ([file, { seconds, cpuSeconds }]) => `${inSeconds(seconds)} ${inSeconds(cpuSeconds)}  ${file}`
    )
  return ['The slowest files, in seconds, and seconds of processor:', ...lines].join('\n')
}

const inSeconds = (value: number): string => value.toFixed(1).padStart(8)
