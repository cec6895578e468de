import vine from '@vinejs/vine'

import { shape } from '#kernel/shape'

const NAME = {
  pattern: /^[A-Za-z0-9_.@+-]*$/,
  description: 'A name consists of letters without accents, digits, and the characters _ . @ + -',
}

/** Names are part of URLs, so they consist of characters that need no escaping there. */
export const clientName = vine.string().minLength(3).maxLength(128).use(shape(NAME))
