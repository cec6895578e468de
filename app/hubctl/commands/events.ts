import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { RecordNames } from '#hubctl/kinds/record_names'
import { gathered, wholeNumber } from '#hubctl/options'
import { jsonLine } from '#hubctl/output/json'
import { shown } from '#hubctl/output/shown'
import type { Output } from '#hubctl/output/output'
import { followed } from '#hubctl/platform/follow'
import { readPage, type Fields } from '#hubctl/platform/pages'
import { listQuery } from './list_options.js'

interface Options {
  readonly filter?: readonly string[]
  readonly limit: number
}

interface Event extends Fields {
  readonly createdAt: string
  readonly name: string
  readonly refType: string
  readonly refId: string | null
  readonly actorName: string | null
  readonly actorType: string | null
}

export function eventsCommand(): Command {
  return new Command('events')
    .description('follow what happens')
    .addCommand(
      new Command('tail')
        .description('show the newest events and those that come in, until Ctrl-C')
        .option('-f, --filter <key=value>', 'only those where this is so', gathered)
        .option('-l, --limit <count>', 'so many of those that are there', wholeNumber, 10)
        .action(perform(tail))
    )
}

async function tail(invocation: Invocation<Options>): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const names = new RecordNames(api, await invocation.kinds())
  const query = listQuery(options)
  const following = followed<Event>(api, 'telemetry', '/events', new URLSearchParams(query))
  const next = following.next()
  const { data } = await readPage(api, 'telemetry', '/events', { query, limit: options.limit })
  for (const event of (data as readonly Event[]).toReversed()) {
    await write(output, names, event)
  }
  for (let told = await next; !told.done; told = await following.next()) {
    await write(output, names, told.value)
  }
}

async function write(output: Output, names: RecordNames, event: Event): Promise<void> {
  if (!output.isTable) {
    return output.line(jsonLine(event))
  }
  const { createdAt, name, refType, refId, actorName, actorType } = event
  const record = refId === null ? undefined : await names.of(refType, refId)
  const by = actorName ?? actorType
  const words = [createdAt, name, [refType, record].filter(Boolean).join('/')]
  output.line(shown([...words, ...(by === null ? [] : [`by ${by}`])].join(' ')))
}
