import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { RecordNames } from '#hubctl/kinds/record_names'
import { collect, wholeNumber } from '#hubctl/options'
import { jsonLine } from '#hubctl/output/json'
import { printable } from '#hubctl/output/printable'
import type { Output } from '#hubctl/output/output'
import { tailRecords } from '#hubctl/platform/tail_records'
import { readPage, type Fields } from '#hubctl/platform/pages'
import { listQuery } from './list_options.js'

interface TailOptions {
  readonly filter?: readonly string[]
  readonly limit: number
}

interface AuditEvent extends Fields {
  readonly createdAt: string
  readonly name: string
  readonly refType: string
  readonly refId: string | null
  readonly actorName: string | null
  readonly actorType: string | null
}

export function eventsCommand(): Command {
  return new Command('events')
    .description('follow the audit events')
    .addCommand(
      new Command('tail')
        .description('show the newest events and new ones as they arrive, until Ctrl-C')
        .option('-f, --filter <key=value>', 'only matching events', collect)
        .option('-l, --limit <count>', 'number of existing events', wholeNumber, 10)
        .action(perform(tail))
    )
}

async function tail(invocation: Invocation<TailOptions>): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const names = new RecordNames(api, await invocation.kinds())
  const query = listQuery(options)
  const stream = tailRecords<AuditEvent>(api, 'telemetry', '/events', new URLSearchParams(query))
  const first = stream.next()
  const { data } = await readPage(api, 'telemetry', '/events', { query, limit: options.limit })
  for (const event of (data as readonly AuditEvent[]).toReversed()) {
    await printEvent(output, names, event)
  }
  for (let item = await first; !item.done; item = await stream.next()) {
    await printEvent(output, names, item.value)
  }
}

async function printEvent(output: Output, names: RecordNames, event: AuditEvent): Promise<void> {
  if (!output.isTable) {
    return output.line(jsonLine(event))
  }
  const { createdAt, name, refType, refId, actorName, actorType } = event
  const record = refId === null ? undefined : await names.of(refType, refId)
  const by = actorName ?? actorType
  const words = [createdAt, name, [refType, record].filter(Boolean).join('/')]
  output.line(printable([...words, ...(by === null ? [] : [`by ${by}`])].join(' ')))
}
