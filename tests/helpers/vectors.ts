import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { requireCaseActor, type CaseActor } from './actors.js'
import { SURFACE_NAMES, type SurfaceName } from '#configuration/surfaces'

/** A file of vectors that cannot be used as it is; the message names the file, the case and what is wrong with it. */
export class VectorsUnusable extends Error {
  static code = 'E_VECTORS_UNUSABLE'
}

/** A record of the fixture that an error case may name in its path or body. */
export const PLACEHOLDERS = ['node', 'project', 'analysis', 'bucket'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

export interface ExpectedIssue {
  code: string
  path?: string[]
}

export interface ErrorCase {
  title: string
  surface: SurfaceName
  method: string
  path: string
  actor: CaseActor
  headers?: Record<string, string>
  body?: unknown
  rawBody?: string
  expect: { status: number; code?: string; issues?: ExpectedIssue[]; absent?: string[] }
}

export const DECODE_MODES = ['collection', 'record', 'filtersOnly'] as const

export interface DecodeCase {
  id: string
  schema: string
  mode: (typeof DECODE_MODES)[number]
  query: string
  expected: Record<string, unknown> & { ok: boolean }
}

export interface LogCase {
  id: string
  endpoint?: string
  query: string
  expected: Record<string, unknown> & { ok: boolean }
}

export interface DecodeVectors {
  probes: Record<string, Record<string, unknown>>
  cases: DecodeCase[]
  openLogCases: LogCase[]
  coreLogCases: LogCase[]
}

export interface ExecuteVectors {
  dataset: Record<string, Record<string, unknown>[]>
  cases: {
    id: string
    query: string
    expected: Record<string, unknown> & { status: number }
  }[]
}

/** What an endpoint says of itself in `meta.schema`. */
export interface EndpointSchema {
  schema: string
  kind: 'collection' | 'record'
  seed: Record<string, unknown>
}

/**
 * The cases of wrong requests: those of this repository, or of the file that ERROR_CASES names.
 */
export function readErrorCases(named = process.env.ERROR_CASES): ErrorCase[] {
  const file = located('errors.json', named)
  const { cases } = withCases<{ cases: ErrorCase[] }>(file)
  for (const entry of cases) {
    checking(`${file}, case "${entry.title}"`, () => {
      requireOneOf('surface', entry.surface, SURFACE_NAMES)
      requireCaseActor(entry.actor)
      placeholdersIn(entry).forEach((name) => requireOneOf('placeholder', name, PLACEHOLDERS))
    })
  }
  return cases
}

/**
 * The vectors of query decoding: those of this repository, or of the file that QUERY_DECODE_CASES names.
 */
export function readDecodeVectors(named = process.env.QUERY_DECODE_CASES): DecodeVectors {
  const file = located('query-decode.json', named)
  const {
    probes = {},
    openLogCases = [],
    coreLogCases = [],
    cases,
  } = withCases<DecodeVectors>(file)
  const schemas = [...Object.keys(probes), ...schemaNames()]
  for (const entry of cases) {
    checking(`${file}, case ${entry.id}`, () => {
      requireOneOf('mode', entry.mode, DECODE_MODES)
      requireOneOf('schema', entry.schema, schemas)
    })
  }
  return { probes, cases, openLogCases, coreLogCases }
}

/**
 * The vectors of query semantics with their rows: those of this repository, or of the file that QUERY_EXECUTE_CASES names.
 */
export function readExecuteVectors(named = process.env.QUERY_EXECUTE_CASES): ExecuteVectors {
  const { dataset = {}, cases } = withCases<ExecuteVectors>(located('query-execute.json', named))
  return { dataset, cases }
}

/** What a real Harbor was asked, and how it answered. */
export interface HarborExchange {
  name: string
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  status: number
  responseHeaders?: Record<string, string>
  response?: string
  /** `from Harbor` for what it sent by itself. */
  direction?: string
}

/** The exchanges with a real Harbor, in the order in which they happened; what happened in between is not among them. */
export const readHarborExchanges = (): HarborExchange[] =>
  parsed<HarborExchange[]>(located('harbor-exchanges.json'))

/** What a real VictoriaLogs was asked, and how it answered. */
export interface VictoriaLogsExchange {
  name: string
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  bodyBase64?: string
  status: number
  response: string
  note?: string
}

/** The exchanges with a real VictoriaLogs, in the order in which they happened. */
export const readVictoriaLogsExchanges = (): VictoriaLogsExchange[] =>
  parsed<VictoriaLogsExchange[]>(located('victorialogs-exchanges.json'))

type Schemas = Record<string, Record<string, EndpointSchema>>

/**
 * What every endpoint that takes queries says of itself, by surface and by method and path.
 */
export function readEndpointSchemas(): Schemas {
  const schemas = parsed<Schemas>(located('schemas.json'))
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => name !== 'probes'))
}

/**
 * Defines the tests of a file of vectors. A file that cannot be used is a failing test of the run.
 */
export function testVectors<Vectors>(
  read: () => Vectors,
  define: (vectors: Vectors) => void
): void {
  let vectors: Vectors
  try {
    vectors = read()
  } catch (error) {
    test('the file of vectors can be used', () => {
      throw error
    })
    return
  }
  define(vectors)
}

/** The names in braces that a case uses in its path and in the texts of its body. */
export function placeholdersIn({ path, body }: Pick<ErrorCase, 'path' | 'body'>): Placeholder[] {
  const texts = [path, ...textsIn(body)]
  const names = texts.flatMap((text) =>
    [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!)
  )
  return [...new Set(names)] as Placeholder[]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return [value]
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function schemaNames(): string[] {
  return Object.values(readEndpointSchemas())
    .flatMap((endpoints) => Object.values(endpoints))
    .map(({ schema }) => schema)
}

function located(own: string, named?: string): string {
  return named ? resolve(named) : fileURLToPath(new URL(`../vectors/${own}`, import.meta.url))
}

function parsed<Content>(file: string): Content {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new VectorsUnusable(`${file} cannot be read as JSON: ${(error as Error).message}`)
  }
}

function withCases<Content extends { cases: unknown[] }>(file: string): Content {
  const content = parsed<Content | null>(file)
  if (!Array.isArray(content?.cases) || content.cases.length === 0) {
    throw new VectorsUnusable(`${file} holds no case: it needs a list named "cases"`)
  }
  return content
}

function checking(where: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw new VectorsUnusable(`${where}: ${(error as Error).message}`)
  }
}

function requireOneOf(what: string, given: unknown, known: readonly string[]): void {
  if (!known.includes(given as string)) {
    throw new TypeError(
      `the ${what} ${JSON.stringify(given)} is unknown; known are ${[...new Set(known)].join(', ')}`
    )
  }
}
