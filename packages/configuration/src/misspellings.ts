import type { Source } from './catalogue.js'
import { isSet } from './catalogue.js'

/** Warns of unknown names that resemble an unset variable. No error, since other programs share the environment. */
export function misspellings(source: Source, known: readonly string[]): string[] {
  return Object.keys(source)
    .filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name) && !known.includes(name))
    .flatMap((name) => {
      const candidate = nearest(name, known)
      return candidate === undefined || isSet(source, candidate)
        ? []
        : [
            `${name} is not a variable of this application and is ignored; did you mean ${candidate}?`,
          ]
    })
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= tolerance(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= tolerance(candidate))
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.candidate
}

// Short names tolerate one edit only: HOME is two edits from HOST, and APP_URL two from AMQP_URL.
function tolerance(name: string): number {
  return name.length < 10 ? 1 : 2
}

/** The number of insertions, deletions, replacements and transpositions between two texts. */
export function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        replaced,
        swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY
      )
    }
  }
  return at(from.length, to.length)
}
