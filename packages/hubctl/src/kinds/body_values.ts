import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'

import type { JsonSchema } from '#kernel/json_schema'
import { propertiesOf } from './kind.js'
import { isSecretName } from '#hubctl/output/redacted'
import { isInteractive, readSecret } from '#hubctl/output/prompts'
import { EXIT } from '#hubctl/exit_codes'
import { Problem, UsageProblem } from '#hubctl/problem'

export type Body = Record<string, unknown>

/** One body from an optional file and `key=value` pairs, which take precedence. */
export async function bodyFrom(
  schema: JsonSchema,
  file: string | undefined,
  pairs: readonly string[]
): Promise<Body> {
  const [body = {}, ...others] = await bodiesFrom(schema, file, pairs)
  if (others.length > 0) {
    throw new UsageProblem(
      `${file} holds ${others.length + 1} records, but only one is allowed.`,
      'hubctl apply creates or updates several.'
    )
  }
  return body
}

/** All bodies of a file, each with the `key=value` pairs; a single one without a file. */
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
        `"${pair}" is not an attribute.`,
        'An attribute is key=value, or key=@file.'
      )
    }
    const key = pair.slice(0, separator)
    overrides[key] = parseValue(schema, key, await readValueText(key, pair.slice(separator + 1)))
  }
  const bodies = file === undefined ? [{}] : await bodiesInFile(file)
  return bodies.map((body) => ({ ...body, ...overrides }))
}

/** Reads `@file` and `@-`. Rejects secrets in arguments, which other users of the machine can see. */
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
      'A secret must not be an argument, which every program on the machine can read.',
      `Use a file (${key}=@file), or a prompt or standard input (${key}=@-).`
    )
  }
  return text
}

/** Converts a text to the type that the schema declares for the attribute. */
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
    throw new UsageProblem(`"${text}" is not a valid ${key}: expected ${types.join(' or ')}.`)
  }
}

/** All records of a JSON or YAML file: documents, and lists of records within them. */
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
      'A file holds one record, a list of records, or several documents separated by ---.'
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
