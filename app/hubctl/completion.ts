import completions, { type Command as Completed } from '@bomb.sh/tab'

import { Invocation } from './invocation.js'
import type { Place } from '#hubctl/kinds/find_record'
import * as places from '#hubctl/kinds/places'
import type { Api } from '#hubctl/platform/api'
import { readPage } from '#hubctl/platform/pages'

/** More than that nobody chooses from. */
const OFFERED = 50

/** What commands call their operand, where that is a record. */
const PLACES: ReadonlyMap<string, Place> = new Map([
  ...Object.values(places).map((place) => [place.name, place] as const),
  ['image', places.MASTER_IMAGES],
])

/**
 * Has kinds, names of records and contexts be offered where a command takes one. The library does not wait: what it is to offer is
 * asked for before it is called. Where the platform does not answer, nothing is.
 */
export async function prepareCompletion(words: readonly string[]): Promise<void> {
  const said = words.slice(0, -1).filter((word) => !word.startsWith('-'))
  const { command, operands } = commandIn(said)
  const known = [...(command?.arguments.values() ?? [])]
  const argument = known[operands.length] ?? known.findLast(({ variadic }) => variadic)
  if (!command || !argument || argument.handler) {
    return
  }
  const asked = { command: command.value, argument: argument.name, operands }
  const offered = await offersFor(asked, words.at(-1) ?? '').catch(() => [])
  argument.handler = (complete) => offered.forEach((value) => complete(value, ''))
}

/** The command that stands at the beginning of what was said, and what was said behind it. */
function commandIn(said: readonly string[]): {
  command: Completed | undefined
  operands: readonly string[]
} {
  const lengths = said.map((_, index) => said.length - index)
  const commandOf = (length: number) => completions.commands.get(said.slice(0, length).join(' '))
  const length = lengths.find((one) => commandOf(one) !== undefined) ?? 0
  return { command: commandOf(length), operands: said.slice(length) }
}

interface Asked {
  readonly command: string
  readonly argument: string
  readonly operands: readonly string[]
}

async function offersFor({ command, argument, operands }: Asked, begun: string): Promise<string[]> {
  const invocation = new Invocation({ output: { name: 'name' } })
  if (command.startsWith('context ')) {
    const { contexts } = await invocation.contexts.read()
    return Object.keys(contexts)
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
