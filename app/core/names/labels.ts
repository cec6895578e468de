import vine from '@vinejs/vine'

/** A label for people. Unlike the name, it is not unique. */
export const displayName = vine.string().minLength(3).maxLength(256).nullable().optional()

/** A description in free text. */
export const description = vine.string().minLength(5).maxLength(4096).nullable().optional()
