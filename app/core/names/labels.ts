import vine from '@vinejs/vine'

import { column, optional } from '#records/column'

/** How people call a record; unlike its name it need not tell it from others. */
export const displayName = column.text({
  nullable: true,
  body: optional(vine.string().minLength(3).maxLength(256).nullable()),
})

/** What a record is about, in whole sentences. */
export const description = column.text({
  nullable: true,
  body: optional(vine.string().minLength(5).maxLength(4096).nullable()),
})
