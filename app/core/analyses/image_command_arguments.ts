import vine from '@vinejs/vine'

import { withoutZero } from '#kernel/shape'

const argument = vine.object({
  value: vine.string().minLength(2).maxLength(512).use(withoutZero()),
  position: vine.enum(['before', 'after']).nullable().optional(),
})

/** Arguments in addition to those of the image, placed before them unless `position` is `after`. */
export const imageCommandArguments = vine.array(argument).nullable().optional()
