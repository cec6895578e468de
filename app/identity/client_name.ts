import vine from '@vinejs/vine'

/** Names stand in addresses of the provider, so they consist of characters that need no escaping there. */
export const clientName = vine
  .string()
  .minLength(3)
  .maxLength(128)
  .regex(/^[\w.@+-]*$/)
