import type pg from 'pg'

/**
 * Removes those of some contents that no message refers to any more. To be called once the removal of messages is committed: of several who
 * remove the last messages of a content at the same time, the last to look finds none left, and nobody has waited for another.
 */
export async function removeUnusedContents(
  pool: pg.Pool,
  ids: readonly string[] | null | undefined
): Promise<void> {
  if (ids && ids.length > 0) {
    await pool.query({
      name: 'remove-unused-contents',
      text: `
        delete from message_contents c
        where id = any($1) and not exists (select from messages m where m.content_id = c.id)`,
      values: [ids],
    })
  }
}
