import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'

/** `expected.json` of an example: its result, or that it fails. */
export interface Expectation {
  readonly result?: unknown
  readonly fails?: boolean
}

/** Numbers may differ by so much, since hospitals answer in any order. */
const TOLERANCE = 1e-9

export async function readExpectation(folder: string): Promise<Expectation | undefined> {
  const text = await readFile(join(folder, 'expected.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Expectation)
}

/** The only file of a result. */
export async function readResult(folder: string): Promise<string> {
  const [name] = await readdir(folder)
  if (name === undefined) {
    throw new Problem(EXIT.found, 'The analysis has no result.')
  }
  return readFile(join(folder, name), 'utf8')
}

/** What differs between a result and the expected one, a sentence each. */
export function differences(actual: unknown, expected: unknown, path = 'result'): string[] {
  if (typeof expected === 'number' && typeof actual === 'number') {
    return Math.abs(actual - expected) <= TOLERANCE
      ? []
      : [`${path} is ${actual} instead of ${expected}`]
  }
  if (isObject(expected) && isObject(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
    return [...names].flatMap((name) =>
      differences(actual[name], expected[name], `${path}.${name}`)
    )
  }
  return Object.is(actual, expected)
    ? []
    : [`${path} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
