import vine from '@vinejs/vine'

import { shape } from '#http/shape'
import { optional, required } from '#records/column'

const NAME = {
  pattern: /^[A-Za-z0-9_.@+-]*$/,
  says: 'A name consists of letters without accents, digits, and the characters _ . @ + -',
}

/** Names stand in addresses of the provider, so they consist of characters that need no escaping there. */
export const name = required(vine.string().minLength(3).maxLength(128).use(shape(NAME)))

const text = (most: number) => optional(vine.string().minLength(1).maxLength(most).nullable())

export const label = text(256)
export const description = text(4096)
export const shortText = text(128)
export const wordList = text(512)
export const address = text(2048)

export const reference = optional(vine.string().uuid().nullable())
export const flag = optional(vine.boolean({ strict: true }))
