import vine from '@vinejs/vine'

import { withoutZero } from '#kernel/shape'

const argument = vine.object({
  value: vine.string().minLength(2).maxLength(512).use(withoutZero()),
  position: vine.enum(['before', 'after']).nullable().optional(),
})

/** What the image is started with beside its own arguments: in front of them, unless it is said to come after. */
export const imageCommandArguments = vine.array(argument).nullable().optional()
