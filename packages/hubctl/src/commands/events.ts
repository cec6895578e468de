import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { RecordNames } from '#hubctl/kinds/record_names'
import { collect, wholeNumber } from '#hubctl/options'
import { tailRecords } from '#hubctl/platform/tail_records'
import { readPage } from '#hubctl/platform/pages'
import { searchCommand } from './events_search.js'
import { listQuery } from './list_options.js'
import { printEvent, type AuditEvent } from './print_event.js'

interface TailOptions {
  readonly filter?: readonly string[]
  readonly limit: number
}

export function eventsCommand(): Command {
  return new Command('events')
    .description('follow and search the audit events')
    .addCommand(
      new Command('tail')
        .description('show the newest events and new ones as they arrive, until Ctrl-C')
        .option('-f, --filter <key=value>', 'only matching events', collect)
        .option('-l, --limit <count>', 'number of existing events', wholeNumber, 10)
        .action(perform(tail))
    )
    .addCommand(searchCommand())
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
