import vine from '@vinejs/vine'

import { id } from '#records/rules'

const text = (most: number) => vine.string().minLength(1).maxLength(most).nullable().optional()

export const label = text(256)
export const description = text(4096)
export const shortText = text(128)
export const wordList = text(512)
export const address = text(2048)

export const flag = vine.boolean({ strict: true }).optional()

/** An optional reference to another record; null for none. */
export const reference = id().nullable().optional()
