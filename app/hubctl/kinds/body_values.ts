import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'

import type { JsonSchema } from '#kernel/json_schema'
import { propertiesOf } from './kind.js'
import { isSecretName } from '#hubctl/output/redacted'
import { isInteractive, readSecret } from '#hubctl/output/prompts'
import { EXIT } from '#hubctl/exit_codes'
import { Problem, UsageProblem } from '#hubctl/problem'

export type Body = Record<string, unknown>

/** The body that a file holds, where one is named, and `key=value` besides, which win. */
export async function bodyFrom(
  schema: JsonSchema,
  file: string | undefined,
  pairs: readonly string[]
): Promise<Body> {
  const [body = {}, ...others] = await bodiesFrom(schema, file, pairs)
  if (others.length > 0) {
    throw new UsageProblem(
      `${file} holds the attributes of ${others.length + 1} records, and one is meant.`,
      'hubctl apply makes or changes several.'
    )
  }
  return body
}

/** The bodies that a file holds, each with `key=value` besides; without a file one. */
export async function bodiesFrom(
  schema: JsonSchema,
  file: string | undefined,
  pairs: readonly string[]
): Promise<Body[]> {
  const overrides: Body = {}
  for (const pair of pairs) {
    const separator = pair.indexOf('=')
    if (separator < 1) {
      throw new UsageProblem(
        `"${pair}" is no attribute.`,
        'An attribute is key=value, or key=@file.'
      )
    }
    const key = pair.slice(0, separator)
    overrides[key] = parseValue(schema, key, await readValueText(key, pair.slice(separator + 1)))
  }
  const bodies = file === undefined ? [{}] : await bodiesInFile(file)
  return bodies.map((body) => ({ ...body, ...overrides }))
}

/** What others on this machine could see in the arguments must not be a secret. */
async function readValueText(key: string, text: string): Promise<string> {
  if (text === '@-' && isSecretName(key)) {
    return readSecret(key, { stdin: !isInteractive() })
  }
  if (text.startsWith('@')) {
    const content = await readContent(text.slice(1))
    return isSecretName(key) ? content.replace(/\r?\n$/, '') : content
  }
  if (isSecretName(key)) {
    throw new UsageProblem(
      `A secret is no argument, since every program of the machine sees those.`,
      `Put it into a file (${key}=@file), or have it asked for, or read from standard input (${key}=@-).`
    )
  }
  return text
}

/** Reads `null`, numbers, switches, lists and objects as such where the attribute is one. */
function parseValue(schema: JsonSchema, key: string, text: string): unknown {
  const types = typesOf(propertiesOf(schema)[key] ?? {})
  if (text === 'null' && types.includes('null')) {
    return null
  }
  return types.length === 0 || types.every((type) => type === 'string' || type === 'null')
    ? text
    : parseJson(key, text, types)
}

function typesOf({ type, oneOf, anyOf }: JsonSchema): string[] {
  const choices = (oneOf ?? anyOf ?? []) as JsonSchema[]
  return [type ?? [], ...choices.map(typesOf)].flat(2) as string[]
}

function parseJson(key: string, text: string, types: readonly string[]): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (types.includes('string')) {
      return text
    }
    throw new UsageProblem(`"${text}" is no ${types.join(' or ')}, which ${key} has to be.`)
  }
}

/** All records that a file of JSON or YAML holds: documents, and lists of records in them. */
export async function bodiesInFile(file: string): Promise<Body[]> {
  const { parseAllDocuments } = await import('yaml')
  const documents = parseAllDocuments(await readContent(file))
  const bodies = [...documents].flatMap((document) => {
    const [error] = document.errors
    if (error) {
      throw new UsageProblem(`${file} is neither JSON nor YAML: ${error.message}`)
    }
    const content: unknown = document.toJS()
    return content === null ? [] : content
  })
  if (bodies.length === 0 || !bodies.every(isBody)) {
    throw new UsageProblem(
      `${file} does not hold attributes of records.`,
      'It holds one record, a list of them, or several documents with --- between them.'
    )
  }
  return bodies
}

function isBody(content: unknown): content is Body {
  return typeof content === 'object' && content !== null && !Array.isArray(content)
}

async function readContent(file: string): Promise<string> {
  if (file === '-') {
    return readAll(process.stdin)
  }
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Problem(EXIT.failed, `${file} cannot be read: ${(error as Error).message}`)
  }
}
