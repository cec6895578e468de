import type pg from 'pg'

import type { Message } from '#bus/message'
import { newId } from '#kernel/new_id'

/** What a worker does for master images: it builds one, by its id, or lists all of them. */
export const CATALOGUE = 'catalogue'

/** Begins a run, whose id goes along with the command and comes back with the reports. */
export async function beginImageRun(
  transaction: pg.ClientBase,
  subject: string
): Promise<{ readonly run: string }> {
  const run = newId()
  await transaction.query(
    `insert into master_image_runs (subject, run) values ($1, $2)
     on conflict (subject) do update set run = excluded.run, started_at = now()`,
    [subject, run]
  )
  return { run }
}

/**
 * Whether a report is about the current run. A build that an earlier version ordered has none; a list of images, which
 * removes all others, always needs one.
 */
export async function isCurrentImageRun(
  transaction: pg.ClientBase,
  subject: string,
  { metadata: { run } }: Pick<Message, 'metadata'>
): Promise<boolean> {
  const { rows } = await transaction.query<{ run: string }>(
    'select run from master_image_runs where subject = $1',
    [subject]
  )
  const current = rows[0]?.run
  return current === undefined ? subject !== CATALOGUE : run === current
}

export async function forgetImageRun(transaction: pg.ClientBase, subject: string): Promise<void> {
  await transaction.query('delete from master_image_runs where subject = $1', [subject])
}
