import type { SealedColumn } from '#records/resealing'

/** Where each database with an outbox keeps sealed values, beside what its surfaces keep. */
export const OUTBOX_SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'outbox',
    keys: ['position'],
    column: 'content',
    purpose: 'waiting command',
    read: `content->>'secrets'`,
    // What is sealed has no character that JSON would escape. All else stays to the letter.
    written: 'replace(content::text, s.former, s.next)::json',
  },
  {
    table: 'dead_letters',
    keys: ['id'],
    column: 'body',
    purpose: 'dead letter',
    read: `convert_from(body, 'UTF8')`,
    written: `convert_to(s.next, 'UTF8')`,
  },
]
