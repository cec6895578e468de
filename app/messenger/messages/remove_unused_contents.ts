import type pg from 'pg'

/**
 * Removes the given contents that no message refers to. Call it after the removal of the messages is committed: the
 * last of several concurrent removals then finds the content unused, and none waits for another.
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
