import completions, { type Command as Completed, type Option } from '@bomb.sh/tab'

import { SURFACE_NAMES } from '#configuration/surfaces'
import { Invocation } from './invocation.js'
import type { RecordCollection } from '#hubctl/kinds/find_record'
import type { Kind } from '#hubctl/kinds/kind'
import * as places from '#hubctl/kinds/record_collections'
import { FORMATS } from '#hubctl/output/format'
import type { Api } from '#hubctl/platform/api'
import { readPage, type Schema } from '#hubctl/platform/pages'

/** Maximum number of candidates. */
const MAX_CANDIDATES = 50

/** Operands that name a record, by the name of the operand. */
const COLLECTIONS: ReadonlyMap<string, RecordCollection> = new Map([
  ...Object.values(places).map((collection) => [collection.name, collection] as const),
  ['image', places.MASTER_IMAGES],
])

/** Values of options that do not depend on the platform. */
const FIXED: ReadonlyMap<string, readonly string[]> = new Map([
  ['output', [...FORMATS, 'jsonpath=']],
  ['service', SURFACE_NAMES.map((name) => `${name}=`)],
])

/** Values of options that depend on the kind. */
const VOCABULARY: ReadonlyMap<string, (schema: Schema) => readonly string[] | null | undefined> =
  new Map([
    ['filter', ({ filters }) => filters?.allowed?.map((name) => `${name}=`)],
    ['sort', ({ sorts }) => sorts?.allowed],
    ['include', ({ relations }) => relations.allowed],
    ...['fields', 'columns', 'sort-by'].map(
      (name) => [name, ({ fields }: Schema) => fields.default ?? fields.allowed] as const
    ),
  ])

/**
 * Completes kinds, names of records, contexts and values of options. The library is synchronous, so the
 * candidates are fetched before it runs; if the platform does not respond there are none.
 */
export async function prepareCompletion(words: readonly string[]): Promise<void> {
  const prefix = words.at(-1) ?? ''
  const { command, operands } = findCommand(operandsOf(words.slice(0, -1)))
  const option = findOption(words.at(-2) ?? '', command)
  if (option && !option.isBoolean) {
    const candidates = await optionCandidates(option.value, operands[0], prefix).catch(() => [])
    const handler = offer(candidates)
    if (candidates.length > 0) {
      command.option(option.value, option.description, handler, option.alias)
    }
    return
  }
  const known = [...command.arguments.values()]
  const argument = known[operands.length] ?? known.findLast(({ variadic }) => variadic)
  if (argument && !argument.handler) {
    const request = { command: command.value, argument: argument.name, operands }
    argument.handler = offer(await operandCandidates(request, prefix).catch(() => []))
  }
}

const offer =
  (values: readonly string[]) => (complete: (value: string, description: string) => void) =>
    values.forEach((value) => complete(value, ''))

/** The words that are neither options nor their values. */
function operandsOf(words: readonly string[]): string[] {
  return words.filter((word, index) => {
    const before = words[index - 1] ?? ''
    const isValue = before.startsWith('-') && findOption(before)?.isBoolean === false
    return !word.startsWith('-') && !isValue
  })
}

/** Finds an option by name or letter in a command and the global options, or in any command. */
function findOption(word: string, command?: Completed): Option | undefined {
  if (!word.startsWith('-')) {
    return undefined
  }
  const name = word.replace(/^-+/, '')
  const owners = command ? [command, completions] : [completions, ...completions.commands.values()]
  return owners
    .flatMap(({ options }) => [...options.values()])
    .find(({ value, alias }) => (word.startsWith('--') ? value : alias) === name)
}

/** Splits words into the longest known command and its operands. */
function findCommand(words: readonly string[]): {
  command: Completed
  operands: readonly string[]
} {
  const lengths = words.map((_, index) => words.length - index)
  const commandOf = (length: number) => completions.commands.get(words.slice(0, length).join(' '))
  const length = lengths.find((one) => commandOf(one) !== undefined) ?? 0
  return { command: commandOf(length) ?? completions, operands: words.slice(length) }
}

async function optionCandidates(
  option: string,
  kindName: string | undefined,
  prefix: string
): Promise<readonly string[]> {
  const fixed = FIXED.get(option)
  if (fixed) {
    return fixed
  }
  const invocation = new Invocation({ output: { name: 'name' } })
  if (option === 'context') {
    return contextNames(invocation)
  }
  const vocabulary = VOCABULARY.get(option)
  if (vocabulary && kindName !== undefined) {
    const kinds = await invocation.kinds()
    const schema = await schemaOf(await invocation.api(), await kinds.find(kindName))
    return (schema && vocabulary(schema)) ?? []
  }
  const collection = COLLECTIONS.get(option)
  return collection ? namesStartingWith(await invocation.api(), collection, prefix) : []
}

async function schemaOf(api: Api, { service, path }: Kind): Promise<Schema | undefined> {
  const { meta } = await readPage(api, service, path, { limit: 1 })
  return meta.schema
}

async function contextNames({ contexts }: Invocation): Promise<string[]> {
  const known = await contexts.read()
  return Object.keys(known.contexts)
}

interface OperandRequest {
  readonly command: string
  readonly argument: string
  readonly operands: readonly string[]
}

async function operandCandidates(
  { command, argument, operands }: OperandRequest,
  prefix: string
): Promise<string[]> {
  const invocation = new Invocation({ output: { name: 'name' } })
  if (command.startsWith('context ')) {
    return contextNames(invocation)
  }
  const kinds = await invocation.kinds()
  if (argument === 'kind') {
    const all = await kinds.all()
    return all.map(({ plural }) => plural)
  }
  const kind = operands[0]
  const isOfKind = kind !== undefined && ['name', 'names'].includes(argument)
  const collection = isOfKind ? await kinds.find(kind) : COLLECTIONS.get(argument)
  return collection ? namesStartingWith(await invocation.api(), collection, prefix) : []
}

async function namesStartingWith(
  api: Api,
  { service, path }: RecordCollection,
  prefix: string
): Promise<string[]> {
  const condition = `startsWith(name,'${prefix.replaceAll("'", "''")}')`
  const { data } = await readPage(api, service, path, {
    query: prefix === '' ? [] : [['filter', condition]],
    limit: MAX_CANDIDATES,
  })
  return data.flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
}
