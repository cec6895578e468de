import { readFile, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

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

export interface ResultFile {
  /** Its path below the folder. */
  readonly path: string
  readonly bytes: Buffer
}

/** All files of a result, ordered by their paths. */
export async function readResult(folder: string): Promise<readonly ResultFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  if (paths.length === 0) {
    throw new Problem(EXIT.found, 'The analysis has no result.')
  }
  return Promise.all(
    paths.map(async (file) => ({
      path: relative(folder, file).replaceAll(sep, '/'),
      bytes: await readFile(file),
    }))
  )
}

/** What a result is compared by: the value of its only file, or an object with one for each path. */
export function valueOf(result: readonly ResultFile[]): unknown {
  const [only, ...others] = result
  return only && others.length === 0
    ? parsed(only)
    : Object.fromEntries(result.map((file) => [file.path, parsed(file)]))
}

/** The text of a file; undefined if it is not text. */
export function textOf({ bytes }: ResultFile): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function parsed(file: ResultFile): unknown {
  const text = textOf(file) ?? ''
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
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
