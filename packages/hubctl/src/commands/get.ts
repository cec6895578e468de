import { Command } from 'commander'

import type { ExitCode } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { propertiesOf, type Kind } from '#hubctl/kinds/kind'
import { Kinds } from '#hubctl/kinds/kinds'
import { withOldestMessage } from '#hubctl/kinds/mailbox'
import { withPresence } from '#hubctl/kinds/node_presence'
import { NODES } from '#hubctl/kinds/record_collections'
import { joinedRelations, listRecords } from '#hubctl/kinds/listing'
import { collect, commaList, watchable, wholeNumber } from '#hubctl/options'
import { parseInterval, watch } from '#hubctl/output/watch'
import type { Api } from '#hubctl/platform/api'
import { readPage, type Fields } from '#hubctl/platform/pages'
import { ApiError } from '#hubctl/platform/api_error'
import { Problem } from '#hubctl/problem'
import { listQuery, shapeQuery, type ListOptions } from './list_options.js'
import { parseOperands } from './operands.js'

interface GetOptions extends ListOptions {
  readonly limit?: number
  readonly all?: boolean
  readonly watch?: string | boolean
  readonly helpKind?: boolean
}

/** Tables are cut at this length; other formats are not. */
const TABLE_LIMIT = 500

const HELP = `
Filters, sort keys and attributes of a kind: hubctl get <kind> --help-kind

Examples:
  hubctl get nodes
  hubctl get node north -o yaml
  hubctl get events --filter name=approved --limit 20
  hubctl get analyses --sort=-updatedAt --fields id,name,buildStatus
  hubctl get project-nodes --include node,project -o json`

export function getCommand(): Command {
  const command = new Command('get')
    .description('show records of a kind, or some of them by id or name')
    .argument('<kind>', 'a kind of record, from hubctl kinds')
    .argument('[names...]', 'ids or names')
    .option(
      '-f, --filter <key=value>',
      'only matching records; with several, all must match',
      collect
    )
    .option('-s, --sort <keys>', 'sort by these attributes; -key is descending', commaList)
    .option('--fields <names>', 'show these attributes; +name adds one', commaList)
    .option('-i, --include <relations>', 'also show these relations', commaList)
    .option('-l, --limit <count>', `maximum number (tables: ${TABLE_LIMIT})`, wholeNumber)
    .option('-a, --all', 'all records, even in a table')
    .option('--help-kind', 'show the filters, sort keys and attributes of a kind')
    .addHelpText('after', HELP)
  return watchable(command).action(perform(get))
}

async function get(
  invocation: Invocation<GetOptions>,
  kindName: string,
  operands: string[]
): Promise<ExitCode | void> {
  const { options } = invocation
  const { kind: name, names: wanted } = parseOperands(kindName, operands)
  const api = await invocation.api()
  const kind = await new Kinds(api).find(name)
  if (options.helpKind) {
    return explainKind(invocation, api, kind)
  }
  return watch(parseInterval(options.watch), () =>
    wanted.length > 0
      ? showSome(invocation, api, kind, wanted)
      : showList(invocation, api, kind).catch((error: unknown) => {
          throw withExample(error, kind)
        })
  )
}

async function showSome(
  invocation: Invocation<GetOptions>,
  api: Api,
  kind: Kind,
  wanted: readonly string[]
): Promise<void> {
  const { options, output } = invocation
  const query = shapeQuery(options)
  const records = await Promise.all(
    wanted.map((name) => findRecord(api, kind, name, { shape: query }))
  )
  const [only] = records
  const isOne = wanted.length === 1 && !output.isTable && output.format !== 'name'
  return isOne
    ? output.value(only)
    : output.records(await shownRecords(invocation, api, kind, records), {
        kind: kind.name,
        columns: requestedColumns(options),
      })
}

async function showList(invocation: Invocation<GetOptions>, api: Api, kind: Kind) {
  const { options, output } = invocation
  const columns = requestedColumns(options)
  const isShaped = options.fields !== undefined || options.include !== undefined
  const include =
    output.isTable && !isShaped ? await joinedRelations(api, kind) : (options.include ?? [])
  const query = listQuery({ ...options, ...(include.length > 0 && { include }) })
  const limit = options.limit ?? (output.isTable && !options.all ? TABLE_LIMIT : Infinity)
  const { records, total } = await listRecords(api, kind, { query, limit })
  output.records(await shownRecords(invocation, api, kind, records), {
    kind: kind.name,
    columns,
    nothing: `There are no ${kind.plural.replaceAll('-', ' ')}${options.filter ? ' that match' : ''}.`,
  })
  if (records.length < total && options.limit === undefined) {
    output.note(`${records.length} of ${total} are shown; --all shows all of them.`)
  }
}

/** Tables of nodes also show since when they are online or away, and since when messages wait for them. */
async function shownRecords(
  { options, output }: Invocation<GetOptions>,
  api: Api,
  kind: Kind,
  records: readonly Fields[]
): Promise<readonly Fields[]> {
  const isShaped = options.fields !== undefined || options.include !== undefined
  return output.isTable && !isShaped && kind.name === NODES.name
    ? withOldestMessage(api, await withPresence(api, records))
    : records
}

/** Logs require a filter; these examples show valid ones. */
const LOG_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'logs': [
    "hubctl get logs --filter service=core --filter 'time=>2026-01-01T00:00:00Z'",
    'hubctl get logs --filter refType=node --filter refId=<id>',
  ],
  'analysis-logs': [
    'hubctl analysis logs <analysis>',
    'hubctl get analysis-logs --filter analysisId=<id>',
  ],
  'analysis-node-logs': [
    'hubctl analysis logs <analysis> --node <node>',
    'hubctl get analysis-node-logs --filter analysisId=<id> --filter nodeId=<id>',
  ],
}

function withExample(error: unknown, { plural }: Kind): unknown {
  const examples = LOG_EXAMPLES[plural]
  return error instanceof ApiError && error.status === 400 && examples
    ? new Problem(error.exitCode, error.message, [
        ...error.advice,
        ...examples.map((example) => `For example: ${example}`),
      ])
    : error
}

/** Attributes requested by name become the columns. */
function requestedColumns({ fields }: GetOptions): readonly string[] | undefined {
  return fields?.some((name) => /^[+-]/.test(name)) ? undefined : fields
}

async function explainKind(
  { output }: Invocation<GetOptions>,
  api: Api,
  kind: Kind
): Promise<void> {
  const { meta } = await readPage(api, kind.service, kind.path, { limit: 1 })
  const { fields, filters, sorts, relations } = meta.schema ?? {}
  const vocabulary = {
    fields: fields?.allowed ?? fields?.default ?? [],
    filter: filters?.allowed ?? [],
    sort: sorts?.allowed ?? [],
    include: relations?.allowed ?? [],
    create: Object.keys(propertiesOf(kind.create)),
    update: Object.keys(propertiesOf(kind.update)),
  }
  if (!output.isTable) {
    return output.value(vocabulary)
  }
  const lines = Object.entries(vocabulary).map(([name, words]) => [name, words.join(', ') || '-'])
  output.record(Object.fromEntries(lines), { kind: kind.name })
}
