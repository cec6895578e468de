import type { SealedColumn } from '#records/resealing'

/** The sealed columns of the outbox and dead letter tables, which every database has. */
export const OUTBOX_SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'outbox',
    keys: ['position'],
    column: 'content',
    purpose: 'waiting command',
    read: `content->>'secrets'`,
    // Sealed values contain no characters that JSON escapes. The rest of the content stays verbatim.
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
