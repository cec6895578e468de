import completions, { type Command as Completed, type Option } from '@bomb.sh/tab'

import { SURFACE_NAMES } from '#configuration/surfaces'
import { Invocation } from './invocation.js'
import type { Place } from '#hubctl/kinds/find_record'
import type { Kind } from '#hubctl/kinds/kind'
import * as places from '#hubctl/kinds/places'
import { FORMATS } from '#hubctl/output/format'
import type { Api } from '#hubctl/platform/api'
import { readPage, type Schema } from '#hubctl/platform/pages'

/** More than that nobody chooses from. */
const OFFERED = 50

/** What commands call their operand, where that is a record. */
const PLACES: ReadonlyMap<string, Place> = new Map([
  ...Object.values(places).map((place) => [place.name, place] as const),
  ['image', places.MASTER_IMAGES],
])

/** Values of options that are the same for every platform. */
const FIXED: ReadonlyMap<string, readonly string[]> = new Map([
  ['output', [...FORMATS, 'jsonpath=']],
  ['service', SURFACE_NAMES.map((name) => `${name}=`)],
])

/** Values of options that a kind says of itself. */
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
 * Has kinds, names of records, contexts and values of options be offered where a command takes one. The library does not wait: what
 * it is to offer is asked for before it is called. Where the platform does not answer, nothing is.
 */
export async function prepareCompletion(words: readonly string[]): Promise<void> {
  const begun = words.at(-1) ?? ''
  const { command, operands } = commandIn(operandsOf(words.slice(0, -1)))
  const option = optionCalled(words.at(-2) ?? '', command)
  if (option && !option.isBoolean) {
    const offered = await offersForOption(option.value, operands[0], begun).catch(() => [])
    const handler = offer(offered)
    if (offered.length > 0) {
      command.option(option.value, option.description, handler, option.alias)
    }
    return
  }
  const known = [...command.arguments.values()]
  const argument = known[operands.length] ?? known.findLast(({ variadic }) => variadic)
  if (argument && !argument.handler) {
    const asked = { command: command.value, argument: argument.name, operands }
    argument.handler = offer(await offersFor(asked, begun).catch(() => []))
  }
}

const offer =
  (values: readonly string[]) => (complete: (value: string, description: string) => void) =>
    values.forEach((value) => complete(value, ''))

/** What was said beside options and their values. */
function operandsOf(words: readonly string[]): string[] {
  return words.filter((word, index) => {
    const before = words[index - 1] ?? ''
    const isValue = before.startsWith('-') && optionCalled(before)?.isBoolean === false
    return !word.startsWith('-') && !isValue
  })
}

/** An option by its name or letter: of a command, of every command, or of any. */
function optionCalled(word: string, command?: Completed): Option | undefined {
  if (!word.startsWith('-')) {
    return undefined
  }
  const name = word.replace(/^-+/, '')
  const owners = command ? [command, completions] : [completions, ...completions.commands.values()]
  return owners
    .flatMap(({ options }) => [...options.values()])
    .find(({ value, alias }) => (word.startsWith('--') ? value : alias) === name)
}

/** The command that stands at the beginning of what was said, and what was said behind it. */
function commandIn(said: readonly string[]): {
  command: Completed
  operands: readonly string[]
} {
  const lengths = said.map((_, index) => said.length - index)
  const commandOf = (length: number) => completions.commands.get(said.slice(0, length).join(' '))
  const length = lengths.find((one) => commandOf(one) !== undefined) ?? 0
  return { command: commandOf(length) ?? completions, operands: said.slice(length) }
}

async function offersForOption(
  option: string,
  kindName: string | undefined,
  begun: string
): Promise<readonly string[]> {
  const fixed = FIXED.get(option)
  if (fixed) {
    return fixed
  }
  const invocation = new Invocation({ output: { name: 'name' } })
  if (option === 'context') {
    return contextsOf(invocation)
  }
  const vocabulary = VOCABULARY.get(option)
  if (vocabulary && kindName !== undefined) {
    const kinds = await invocation.kinds()
    const schema = await schemaOf(await invocation.api(), await kinds.find(kindName))
    return (schema && vocabulary(schema)) ?? []
  }
  const place = PLACES.get(option)
  return place ? namesIn(await invocation.api(), place, begun) : []
}

async function schemaOf(api: Api, { service, path }: Kind): Promise<Schema | undefined> {
  const { meta } = await readPage(api, service, path, { limit: 1 })
  return meta.schema
}

async function contextsOf({ contexts }: Invocation): Promise<string[]> {
  const known = await contexts.read()
  return Object.keys(known.contexts)
}

interface Asked {
  readonly command: string
  readonly argument: string
  readonly operands: readonly string[]
}

async function offersFor({ command, argument, operands }: Asked, begun: string): Promise<string[]> {
  const invocation = new Invocation({ output: { name: 'name' } })
  if (command.startsWith('context ')) {
    return contextsOf(invocation)
  }
  const kinds = await invocation.kinds()
  if (argument === 'kind') {
    const all = await kinds.all()
    return all.map(({ plural }) => plural)
  }
  const kind = operands[0]
  const isOfKind = kind !== undefined && ['name', 'names'].includes(argument)
  const place = isOfKind ? await kinds.find(kind) : PLACES.get(argument)
  return place ? namesIn(await invocation.api(), place, begun) : []
}

async function namesIn(api: Api, { service, path }: Place, begun: string): Promise<string[]> {
  const condition = `startsWith(name,'${begun.replaceAll("'", "''")}')`
  const { data } = await readPage(api, service, path, {
    query: begun === '' ? [] : [['filter', condition]],
    limit: OFFERED,
  })
  return data.flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
}
