import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { PENDING, REMOVE } from '#messenger/messages/message_table'
import { SEND } from '#messenger/messages/send_statement'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const execute = promisify(execFile)
const PGBENCH = '/usr/lib/postgresql/15/bin/pgbench'
const THREADS = 2
const PULLED = 50

/** One of so many mailboxes, as `seededMailboxes` names them. */
const RECIPIENT = `('00000000-0000-4000-8000-' || lpad((:n)::integer::text, 12, '0'))::uuid`
const OLDEST = `array(select id from messages where recipient_id = ${RECIPIENT}
  and recipient_type = 'client' order by created_at, sequence limit ${PULLED})`

/** The mailboxes that the scripts write to and pull from. */
export function pgbenchMailboxes(count: number): string[] {
  return Array.from(
    { length: count },
    (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  )
}

/** What `POST /messages` runs for one message. */
export const SEND_SCRIPT = script(
  filled(SEND.text, [
    ...[`array['client']`, 'array[gen_random_uuid()]', 'array[:data::text]', 'array[null]'],
    ...['array[1152]', 'array[null]', 'array[null]', 'array[null]', 'array[1]'],
    ...['array[gen_random_uuid()]', `array['client']`, `array[${RECIPIENT}]`, '1073741824'],
    ...[
      'array[]::text[]',
      'array[]::uuid[]',
      'array[]::bigint[]',
      'array[]::bigint[]',
      'null',
      'null',
    ],
  ])
)

/** The statements of a pull and its acknowledgement; the ids are queried again, since pgbench cannot store them. */
export const PULL_SCRIPT = script(
  filled(PENDING, [RECIPIENT, `'client'`, String(PULLED)]),
  filled(REMOVE, [`'client'`, RECIPIENT, OLDEST])
)

interface Bench {
  readonly databaseUrl: string
  readonly script: string
  readonly mailboxes: number
  readonly clients: number
  /** Of each client. */
  readonly transactions: number
}

/** How often a second pgbench runs a script. */
export async function pgbenchPerSecond(bench: Bench): Promise<number> {
  await ensurePackages(PACKAGES.postgres)
  const { hostname, port, username, password, pathname } = new URL(bench.databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'pgbench-'))
  try {
    const file = join(folder, 'script.sql')
    await writeFile(file, bench.script)
    const { stdout } = await execute(
      PGBENCH,
      [
        ...['-n', '-M', 'prepared', '-f', file, '-c', String(bench.clients), '-j', String(THREADS)],
        ...['-t', String(bench.transactions), '-D', `most=${bench.mailboxes - 1}`],
        ...['-D', `data="${'x'.repeat(1_022)}"`, '-h', hostname, '-p', port],
        ...['-U', username, pathname.slice(1)],
      ],
      { env: { ...process.env, PGPASSWORD: password } }
    )
    return Number(/^tps = ([\d.]+)/m.exec(stdout)![1])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function script(...statements: string[]): string {
  return ['\\set n random(0, :most)', ...statements.map((each) => `${each};`)].join('\n')
}

/** A statement with its parameters in their places. */
function filled(statement: string, values: readonly string[]): string {
  return statement
    .replace(/\$(\d+)/g, (_, number) => `(${values[Number(number) - 1]})`)
    .replace(/\n\s*\n/g, '\n')
}
