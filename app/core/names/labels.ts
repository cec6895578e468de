import vine from '@vinejs/vine'

/** How people call a record; unlike its name it need not tell it from others. */
export const displayName = vine.string().minLength(3).maxLength(256).nullable().optional()

/** What a record is about, in whole sentences. */
export const description = vine.string().minLength(5).maxLength(4096).nullable().optional()
